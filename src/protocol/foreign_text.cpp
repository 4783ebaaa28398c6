#include "protocol/foreign_text.h"

#include <nlohmann/json.hpp>

#include "text/printable.h"

namespace breakeven {
namespace {

/// Replaces bytes that are not valid UTF-8, as nlohmann_json does when it writes a text.
std::string valid_utf8(const std::string& text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

std::string shorten_text(std::string_view text, std::size_t longest) {
  constexpr std::string_view dots = "...";
  // A byte that is not valid UTF-8 becomes three. The text is therefore cut both before, because a line may
  // have megabytes, and after.
  std::string shown = valid_utf8(std::string(text.substr(0, longest + 1)));
  if (shown.size() > longest) {
    shown = first_characters(shown, longest - dots.size());
    shown += dots;
  }
  for (char& c : shown) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r' || c == '\t') {
      c = ' ';
    } else if (code < 0x20 || code == 0x7f) {
      c = '?';
    }
  }
  return shown;
}

std::string quote_line(std::string_view line) {
  constexpr std::size_t longest = 120;
  return '"' + shorten_text(line, longest) + '"';
}

}  // namespace breakeven
