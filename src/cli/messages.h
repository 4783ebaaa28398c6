// Prints messages on standard error and text on standard output.
#pragma once

#include <string_view>

namespace breakeven {

/// Prints "breakeven: MESSAGE" on standard error, each line passed through message_line(). If standard error
/// cannot be written to, the message is lost and there is no error.
void tell(std::string_view message) noexcept;

/// Prints the same without the program's name.
void tell_plain(std::string_view message) noexcept;

/// Prints on standard output, through printable_lines(). main() reports failures at the end.
void print(std::string_view lines);

}  // namespace breakeven
