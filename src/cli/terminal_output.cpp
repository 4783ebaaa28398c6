#include "cli/terminal_output.h"

#include <unistd.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "cli/progress_line.h"

namespace breakeven {

TerminalStyle terminal_style() {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const auto setting = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  const auto locale = !setting("LC_ALL").empty()     ? setting("LC_ALL")
                      : !setting("LC_CTYPE").empty() ? setting("LC_CTYPE")
                                                     : setting("LANG");
  // All of UTF-8, utf-8, UTF8 and utf8 are accepted by glibc.
  const std::string encoding = boost::algorithm::to_lower_copy(std::string(locale));
  const bool unicode =
      encoding.find("utf-8") != std::string::npos || encoding.find("utf8") != std::string::npos;
  return {.colour = terminal && setting("NO_COLOR").empty() && setting("TERM") != "dumb",
          .width = terminal ? terminal_width(STDOUT_FILENO) : 100,
          .unicode = unicode};
}

void print_document(const Document& document, bool answer_first) {
  std::cout << render_terminal(document, {.style = terminal_style(), .answer_first = answer_first});
}

}  // namespace breakeven
