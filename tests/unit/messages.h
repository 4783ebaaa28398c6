// Messages to users: those of errors, and what holds for every one.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "text/printable.h"

namespace breakeven {

/// The message of the error that `act` throws.
template <typename Error, typename Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "was accepted";
}

/// Returns what is wrong with the message of an error about a file: it is empty, too long or of several
/// lines, or what commands print for it (cli/messages.h) could steer a terminal. Empty if nothing is.
inline std::string fault_of_message(std::string_view message) {
  constexpr std::size_t most = 500;
  if (message.empty()) return "is empty";
  if (message.size() > most) return fmt::format("has {} bytes", message.size());
  if (message.find('\n') != std::string_view::npos) return "has several lines";
  const std::string printed = without_ci_commands("breakeven: " + message_line(message));
  return printable_lines(printed) == printed ? "" : "has characters that do not print";
}

}  // namespace breakeven
