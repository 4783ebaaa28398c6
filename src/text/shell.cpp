#include "text/shell.h"

#include <boost/algorithm/string/replace.hpp>
#include <string_view>

namespace breakeven {

std::string shell_word(const std::string& word) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  return "'" + boost::algorithm::replace_all_copy(word, "'", "'\\''") + "'";
}

std::string shell_file(const std::string& path) {
  return shell_word((path.starts_with('-') ? "./" : "") + path);
}

}  // namespace breakeven
