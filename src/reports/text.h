// Measures and fits text from elsewhere (names, reasons, warnings) in terminal columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/printable.h"

namespace breakeven {

/// Printable text for elements and for values in double quotes, without the characters that XML 1.0 does not
/// allow even when escaped: U+FFFE and U+FFFF (section 2.2, Char).
std::string xml_text(std::string_view text);

/// The width of a character, in the unit in which a text is measured.
using CharacterWidth = double (*)(char32_t);
/// The width of a character in terminal columns: 2 for wide East Asian characters and emoji, 0 for combining
/// marks.
double columns_of(char32_t c);

/// The length in bytes of the longest prefix of `text` that is at most `room` wide.
std::size_t bytes_within(std::string_view text, double room, CharacterWidth width_of);

/// Removes a line of at most `room`, but at least one character, from the front of `text` and returns it.
/// Breaks at a space if there is one.
std::string take_line(std::string_view& text, double room, CharacterWidth width_of);

/// The number of terminal columns of printable text.
std::size_t display_width(std::string_view text);

/// Printable text cut to at most `columns`, with an ellipsis at the end if something was cut.
std::string shorten(std::string_view text, std::size_t columns);

/// Printable text in lines of at most `columns`, broken at spaces if there are any.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

std::string pad_left(std::string text, std::size_t columns);
std::string pad_right(std::string text, std::size_t columns);

/// Converts text for terminals without Unicode: the signs in reports are spelt out, any other character
/// becomes '?'.
std::string to_ascii(std::string_view text);

/// Makes equal names different: with "{} ({})" the second "a" becomes "a (2)".
class UniqueNames {
 public:
  struct Name {
    std::string text;
    std::size_t number = 1;  // distinguishes things with the same name
  };
  explicit UniqueNames(std::string pattern = "{} ({})") : pattern_(std::move(pattern)) {}
  Name take(const std::string& name);

 private:
  std::string pattern_;                                   // for a name and a number
  std::unordered_map<std::string, std::size_t> numbers_;  // the last number given for each name
  std::unordered_set<std::string> taken_;
};

}  // namespace breakeven
