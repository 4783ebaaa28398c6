#include "cli/messages.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "text/printable.h"

namespace breakeven {
namespace {

/// Writes to standard error without exceptions. fmt::print throws if standard error cannot be written to,
/// which would end the program in a destructor or a handler.
void write_message(std::string_view prefix, std::string_view message) noexcept {
  try {
    std::cout.flush();  // keeps the order if both streams go to the same place
    std::string lines(prefix);
    while (!message.empty()) {
      const auto end = message.find('\n');
      lines += message_line(message.substr(0, end));
      lines += '\n';
      message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    }
    std::fputs(without_ci_commands(lines).c_str(), stderr);
  } catch (...) {
    constexpr std::string_view no_memory = "breakeven: memory ended while a message was made\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, no_memory.data(), no_memory.size());
  }
}

}  // namespace

void tell(std::string_view message) noexcept {
  write_message("breakeven: ", message);
}

void tell_plain(std::string_view message) noexcept {
  write_message("", message);
}

void print(std::string_view lines) {
  std::cout << printable_lines(lines);
}

}  // namespace breakeven
