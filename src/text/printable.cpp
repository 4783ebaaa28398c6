#include "text/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/locale/utf.hpp>
#include <iterator>

namespace breakeven {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;

constexpr char32_t replacement = 0xfffd;

struct Characters {
  char32_t first, last;
};

bool is_space(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x2028 || c == 0x2029;
}

/// True for control characters, the soft hyphen, and the invisible and direction-changing format characters
/// of Unicode's category Cf, which can hide or reorder the text around them (Boucher and Anderson, Trojan
/// Source, 2021).
bool is_unprintable(char32_t c) {
  if (c > 0x1f && c < 0x7f) return false;
  static constexpr std::array<Characters, 10> unprintable{{{0x00, 0x1f},
                                                           {0x7f, 0x9f},
                                                           {0xad, 0xad},
                                                           {0x61c, 0x61c},
                                                           {0x180e, 0x180e},
                                                           {0x200b, 0x200f},
                                                           {0x2028, 0x202e},
                                                           {0x2060, 0x206f},
                                                           {0xfeff, 0xfeff},
                                                           {0xe0000, 0xe007f}}};
  return std::ranges::any_of(unprintable,
                             [c](const Characters& range) { return c >= range.first && c <= range.last; });
}

void append(std::string& text, char32_t c) {
  Utf8::encode(c, std::back_inserter(text));
}

/// An escape sequence for the character: "\n", "\x1b" or "\u202e".
std::string spelt_out(char32_t c) {
  if (c == '\n') return "\\n";
  return c <= 0xff ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c))
                   : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Returns `text`, without its middle if it is longer than `most` bytes.
std::string without_middle(const std::string& text, std::size_t most) {
  constexpr std::string_view gap = " ... ";
  if (text.size() <= most) return text;
  const std::size_t end = most * 2 / 3;
  std::size_t resume = text.size() - (most - end - gap.size());
  while (resume < text.size() && is_continuation(text[resume])) ++resume;
  return fmt::format("{}{}{}", first_characters(text, end), gap, std::string_view(text).substr(resume));
}

/// True if `text` begins with a command of Azure Pipelines or TeamCity.
bool begins_hash_command(std::string_view text) {
  return text.starts_with("##[") || text.starts_with("##vso[") || text.starts_with("##teamcity[");
}

}  // namespace

char32_t next_character(std::string_view& text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) {
    const char c = text.front();
    text.remove_prefix(1);
    return static_cast<char32_t>(c);
  }
  const char* position = text.data();
  const boost::locale::utf::code_point decoded = Utf8::decode(position, text.data() + text.size());
  const bool is_valid = boost::locale::utf::is_valid_codepoint(decoded);
  text.remove_prefix(is_valid ? static_cast<std::size_t>(position - text.data()) : 1);
  return is_valid ? decoded : replacement;
}

std::string_view first_characters(std::string_view text, std::size_t size) {
  if (size >= text.size()) return text;
  while (size > 0 && is_continuation(text[size])) --size;
  return text.substr(0, size);
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = next_character(text);
    if (is_space(c)) {
      if (!shown.empty() && shown.back() != ' ') shown += ' ';
    } else if (!is_unprintable(c)) {
      append(shown, c);
    }
  }
  if (!shown.empty() && shown.back() == ' ') shown.pop_back();
  return shown;
}

std::string message_line(std::string_view text, std::size_t most) {
  // The rest is cut off anyway, so it is not examined: texts may be as long as files.
  std::string shown;
  if (text.size() > 8 * most) return message_line(without_middle(std::string(text), 4 * most), most);
  while (!text.empty()) {
    const char byte = text.front();
    const char32_t c = next_character(text);
    if (c == replacement && static_cast<unsigned char>(byte) != 0xEF) {
      shown += spelt_out(static_cast<unsigned char>(byte));
    } else if (is_unprintable(c)) {
      shown += spelt_out(c);
    } else {
      append(shown, c);
    }
  }
  return without_middle(shown, most);
}

std::string without_ci_commands(std::string_view lines) {
  std::string shown;
  shown.reserve(lines.size());
  bool at_beginning = true;  // of a line, or after nothing but white space
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view rest = lines.substr(i);
    shown += lines[i];
    if ((at_beginning && rest.starts_with("::")) || begins_hash_command(rest)) shown += ' ';
    at_beginning = lines[i] == '\n' || (at_beginning && (lines[i] == ' ' || lines[i] == '\t'));
  }
  return shown;
}

std::string printable_lines(std::string_view lines) {
  std::string shown;
  shown.reserve(lines.size());
  while (!lines.empty()) {
    const char32_t c = next_character(lines);
    if (c == '\n' || !is_unprintable(c)) append(shown, c);
  }
  return without_ci_commands(shown);
}

}  // namespace breakeven
