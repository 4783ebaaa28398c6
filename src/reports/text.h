// Text that came from elsewhere (names, reasons, warnings), measured in terminal columns and fitted into
// them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/printable.h"

namespace breakeven {

/// Printable text without what XML 1.0 cannot hold even when escaped: U+FFFE and U+FFFF (section 2.2, Char).
std::string xml_text(std::string_view text);

/// The width of a character, in whatever a text is measured in.
using CharacterWidth = double (*)(char32_t);
/// In columns of a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks.
double columns_of(char32_t c);

/// Bytes of the longest beginning of `text` that is at most `room` wide.
std::size_t bytes_within(std::string_view text, double room, CharacterWidth width_of);

/// Takes a line of at most `room`, but at least one character, off the front of `text`: up to a space where
/// there is one.
std::string take_line(std::string_view& text, double room, CharacterWidth width_of);

/// Columns that printable text takes in a terminal.
std::size_t display_width(std::string_view text);

/// Printable text cut to at most `columns`, the last of them an ellipsis where something was cut.
std::string shorten(std::string_view text, std::size_t columns);

/// Printable text in lines of at most `columns`, broken at spaces where there are any.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

std::string pad_left(std::string text, std::size_t columns);
std::string pad_right(std::string text, std::size_t columns);

/// For terminals without Unicode: the signs the reports use are spelt out, any other character is a '?'.
std::string to_ascii(std::string_view text);

/// Tells things of one name apart: with "{} ({})" the second "a" is "a (2)".
class UniqueNames {
 public:
  struct Name {
    std::string text;
    std::size_t number = 1;  // different for each that has the same name
  };
  explicit UniqueNames(std::string pattern = "{} ({})") : pattern_(std::move(pattern)) {}
  Name take(const std::string& name);

 private:
  std::string pattern_;                                   // of a name and a number
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one that a name was given
  std::unordered_set<std::string> taken_;
};

}  // namespace breakeven
