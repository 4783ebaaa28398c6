// A subcommand: one file that declares its options, runs the work, and prints. It registers itself.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/number.h"

namespace breakeven {

/// The exit statuses, documented in the README, "Exit status".
namespace exit_code {
inline constexpr int good = 0;
inline constexpr int wrong_or_regressed = 1;
inline constexpr int bad_input = 2;
inline constexpr int inconclusive = 3;
inline constexpr int incomplete = 4;
inline constexpr int interrupted = 130;
}  // namespace exit_code

/// Ends the command with this message and status.
class CommandError : public std::runtime_error {
 public:
  CommandError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Accepts options in seconds: a number above 0.
inline const CLI::Validator& above_zero() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        const auto value = number_from(text);
        if (value && *value > 0 && std::isfinite(*value)) return "";
        return "'" + text + "' is no number above 0";
      },
      "above 0");
  return validator;
}

/// Adds itself to the program. The returned function does the work and returns the exit status.
using Subcommand = std::function<std::function<int()>(CLI::App& command)>;

struct SubcommandEntry {
  std::string name, meaning;
  Subcommand add;
};

/// Registers a subcommand: `const SubcommandRegistration registered({"list", "...", [](CLI::App& command) {
/// ... }});`
struct SubcommandRegistration {
  explicit SubcommandRegistration(SubcommandEntry entry);
};
const std::vector<SubcommandEntry>& subcommands();

}  // namespace breakeven
