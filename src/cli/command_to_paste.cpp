#include "cli/command_to_paste.h"

#include <boost/algorithm/string/replace.hpp>
#include <cerrno>
#include <string_view>

namespace breakeven {

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  return "'" + boost::algorithm::replace_all_copy(word, "'", "'\\''") + "'";
}

std::string command_to_paste(const std::vector<std::string>& arguments) {
  std::string command = quoted_for_shell(program_invocation_name);  // argv[0], from glibc
  for (const std::string& argument : arguments) command += " " + quoted_for_shell(argument);
  return command;
}

}  // namespace breakeven
