// Text that another program wrote, made fit for messages of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

/// The text in one line of valid UTF-8, of at most `longest` bytes (4 or more): control characters become
/// '?', bytes that are no UTF-8 U+FFFD, and what is left out becomes "...".
std::string shorten_text(std::string_view text, std::size_t longest);

/// The beginning of a line in quotation marks.
std::string quote_line(std::string_view line);

}  // namespace breakeven
