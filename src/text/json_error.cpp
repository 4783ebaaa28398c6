#include "text/json_error.h"

#include "text/printable.h"

namespace breakeven {

std::string json_error_text(std::string_view message) {
  // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while parsing value -
  // ..."
  constexpr std::size_t most = 200;
  if (message.starts_with("[json.exception")) message.remove_prefix(message.find(']') + 1);
  if (message.starts_with(' ')) message.remove_prefix(1);
  if (constexpr std::string_view prefix = "parse error at "; message.starts_with(prefix))
    message.remove_prefix(prefix.size());
  std::string text(message);
  const auto syntax = text.find("syntax error while parsing ");
  const auto dash = text.find(" - ");
  if (syntax != std::string::npos && dash != std::string::npos && dash > syntax)
    text.erase(syntax, dash + 3 - syntax);
  return message_line(text, most);
}

}  // namespace breakeven
