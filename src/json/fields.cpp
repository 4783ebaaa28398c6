#include "json/fields.h"

#include <fmt/format.h>

namespace breakeven {

void Fields::json_text(const char* key, std::string& text) {
  if (reads()) {
    text = text_of(read_->at(key));
    return;
  }
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  (*written_)[key] = parsed.is_discarded() ? Json(nullptr) : std::move(parsed);
}

void Fields::object(const char* key, const std::function<void(Fields&)>& list) {
  if (writes()) {
    Fields f((*written_)[key] = Json::object(), words_);
    list(f);
  } else {
    const JsonReader inner = read_->child(key);
    Fields f(inner);
    list(f);
  }
}

Lines lines_of_texts(const char* key, const std::vector<std::string>& texts) {
  return {.key = key, .count = texts.size(), .text = [&](std::size_t i) { return texts[i]; }};
}

std::string text_in_lines(const Json& head, const std::vector<Lines>& lists) {
  std::string text = "{";
  for (const auto& [key, value] : head.items())
    text += fmt::format("\n{}: {},", text_of(key), text_of(value));
  const char* before = "";
  for (const Lines& list : lists) {
    text += fmt::format("{}\n\"{}\": [", before, list.key);
    for (std::size_t i = 0; i < list.count; ++i) (text += i == 0 ? "\n" : ",\n") += list.text(i);
    text += "\n]";
    before = ",";
  }
  return text + "\n}\n";
}

}  // namespace breakeven
