// Makes text from another program safe for our messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

/// The text as one line of valid UTF-8, of at most `longest` bytes (4 or more). Control characters become
/// '?', invalid bytes become U+FFFD, and omitted text becomes "...".
std::string shorten_text(std::string_view text, std::size_t longest);

/// The beginning of a line, in quotation marks.
std::string quote_line(std::string_view line);

}  // namespace breakeven
