// Text that came from elsewhere (names, reasons, warnings) made safe to show, and measured in terminal
// columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// One line of valid UTF-8 that only puts characters side by side: white space becomes single spaces; control
/// characters (ESC among them), invisible ones and those that change the direction of writing are left out;
/// bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// Columns that printable text takes in a terminal: two for wide East Asian characters and emoji, none for
/// combining marks.
std::size_t display_width(std::string_view text);

/// Printable text cut to at most `columns`, the last of them an ellipsis where something was cut.
std::string shorten(std::string_view text, std::size_t columns);

/// Printable text in lines of at most `columns` (at least 2), broken at spaces where there are any.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

std::string pad_left(std::string text, std::size_t columns);
std::string pad_right(std::string text, std::size_t columns);

/// For terminals without Unicode: the signs the reports use are spelt out, any other character is a '?'.
std::string to_ascii(std::string_view text);

}  // namespace breakeven
