#include "reports/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/erase.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <span>
#include <utility>

namespace breakeven {
namespace {

struct CodePoints {
  char32_t first, last;
};

bool in_any(std::span<const CodePoints> blocks, char32_t c) {
  return std::ranges::any_of(blocks, [c](const CodePoints& b) { return c >= b.first && c <= b.last; });
}

std::string spaces(const std::string& text, std::size_t columns) {
  const std::size_t taken = display_width(text);
  return fmt::format("{:{}}", "", columns > taken ? columns - taken : 0);
}

}  // namespace

double columns_of(char32_t c) {
  if (c < 0x300) return 1;
  // Blocks of combining marks and of wide characters, from Unicode's EastAsianWidth.txt.
  static constexpr CodePoints combining[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x1ab0, 0x1aff},
                                             {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
  static constexpr CodePoints wide[] = {
      {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
      {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
  return in_any(combining, c) ? 0 : in_any(wide, c) ? 2 : 1;
}

std::size_t bytes_within(std::string_view text, double room, CharacterWidth width_of) {
  double used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t before = text.size() - rest.size();
    used += width_of(next_character(rest));
    if (used > room) return before;
  }
  return text.size();
}

std::string take_line(std::string_view& text, double room, CharacterWidth width_of) {
  std::string_view behind_first = text;
  next_character(behind_first);
  std::size_t taken = std::max(bytes_within(text, room, width_of), text.size() - behind_first.size());
  if (taken < text.size()) {
    const std::size_t space = text.substr(0, taken + 1).rfind(' ');
    if (space != std::string_view::npos && space > 0) taken = space;
  }
  std::string line(text.substr(0, taken));
  text.remove_prefix(taken);
  if (text.starts_with(' ')) text.remove_prefix(1);
  return line;
}

std::string xml_text(std::string_view text) {
  std::string shown = printable(text);
  for (const char* noncharacter : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    boost::algorithm::erase_all(shown, noncharacter);
  for (const auto& [plain, escaped] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}})
    boost::algorithm::replace_all(shown, plain, escaped);
  return shown;
}

std::size_t display_width(std::string_view text) {
  double columns = 0;
  while (!text.empty()) columns += columns_of(next_character(text));
  return static_cast<std::size_t>(columns);
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  const auto room = static_cast<double>(columns - 1);
  return std::string(text.substr(0, bytes_within(text, room, columns_of))) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.push_back(take_line(text, static_cast<double>(columns), columns_of));
  return lines;
}

std::string pad_left(std::string text, std::size_t columns) {
  return text.insert(0, spaces(text, columns));
}

std::string pad_right(std::string text, std::size_t columns) {
  return text.append(spaces(text, columns));
}

std::string to_ascii(std::string_view text) {
  static constexpr std::array<std::pair<char32_t, std::string_view>, 7> spellings{
      {{0xb1, "+-"}, {0xb5, "u"}, {0xb7, "-"}, {0xd7, "x"}, {0x2013, "-"}, {0x2026, "..."}, {0x2192, "->"}}};
  std::string ascii;
  ascii.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = next_character(text);
    const auto* spelling = std::ranges::find(spellings, c, &std::pair<char32_t, std::string_view>::first);
    const char other = c < 0x80 ? static_cast<char>(c) : '?';
    ascii += spelling == spellings.end() ? std::string_view(&other, 1) : spelling->second;
  }
  return ascii;
}

UniqueNames::Name UniqueNames::take(const std::string& name) {
  Name unique;
  do {  // repeats if another thing's own name has that form
    unique.number = ++numbers_[name];
    unique.text = unique.number == 1 ? name : fmt::format(fmt::runtime(pattern_), name, unique.number);
  } while (!taken_.insert(unique.text).second);
  return unique;
}

}  // namespace breakeven
