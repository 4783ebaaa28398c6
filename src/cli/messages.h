// What the program says, on standard error and on standard output.
#pragma once

#include <string_view>

namespace breakeven {

/// "breakeven: MESSAGE" on standard error, each line of it as message_line() makes it. Where standard error
/// cannot be written to, the message is lost and nothing else happens.
void tell(std::string_view message) noexcept;

/// The same without the program's name in front.
void tell_plain(std::string_view message) noexcept;

/// On standard output, as printable_lines() makes it. main() reports failures in the end.
void print(std::string_view lines);

}  // namespace breakeven
