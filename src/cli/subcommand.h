// A subcommand: one file that declares its options, runs the work, and prints. It registers itself.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "json/names.h"
#include "verdicts/verdict.h"
#include "workloads/parameters.h"

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
  template <typename... Values>
  CommandError(int status, fmt::format_string<Values...> message, Values&&... values)
      : CommandError(status, fmt::format(message, std::forward<Values>(values)...)) {}
  /// The same with exit_code::bad_input.
  template <typename... Values>
  explicit CommandError(fmt::format_string<Values...> message, Values&&... values)
      : CommandError(exit_code::bad_input, message, std::forward<Values>(values)...) {}
  int status() const { return status_; }

 private:
  int status_ = exit_code::bad_input;
};

/// Parses all of `text` as a number; empty if it is not one.
inline std::optional<double> number_from(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && behind == end ? std::optional(value) : std::nullopt;
}

/// Accepts the numbers that `limits` accepts: those of a config, for an option in their place.
inline CLI::Validator number_within(const Parameter& limits) {
  return {[limits](std::string& text) -> std::string {
            const auto value = number_from(text);
            const auto wanted = limits.rejects(value ? Value(*value) : Value(text));
            return wanted ? fmt::format("'{}' is not {}", text, *wanted) : "";
          },
          ""};
}

/// Accepts options that are a fraction above 0 and below 1: converts "3%" into 0.03, and accepts "0.03".
inline const CLI::Validator& percent() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        const bool in_hundredths = text.ends_with('%');
        const auto value =
            number_from(std::string_view(text).substr(0, text.size() - (in_hundredths ? 1 : 0)));
        const double part = value.value_or(0) / (in_hundredths ? 100 : 1);
        if (!(part > 0 && part < 1))
          return "'" + text + "' is neither a percentage such as 3% nor a part such as 0.03";
        text = fmt::format("{}", part);
        return "";
      },
      "3%");
  return validator;
}

/// Converts a duration with its unit, such as "5ms", into seconds.
inline const CLI::Validator& duration() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        for (const auto& [unit, size] : {std::pair<std::string_view, double>{"ns", 1e-9},
                                         {"us", 1e-6},
                                         {"µs", 1e-6},
                                         {"ms", 1e-3},
                                         {"s", 1}}) {
          if (!text.ends_with(unit)) continue;
          const auto value = number_from(std::string_view(text).substr(0, text.size() - unit.size()));
          const double seconds = value.value_or(0) * size;
          if (!(seconds > 0 && std::isfinite(seconds))) break;
          text = fmt::format("{}", seconds);
          return "";
        }
        return "'" + text + "' is not a duration such as 5ms or 200us";
      },
      "5ms");
  return validator;
}

/// Declares --p99. Returns the option.
inline CLI::Option* add_p99_option(CLI::App& command, double& seconds, const char* meaning) {
  return command.add_option("--p99", seconds, meaning)->transform(duration());
}

/// Declares what the exit statuses of a command mean, for its help. 0 and 2 need a meaning only if they have
/// another than usual.
inline void declare_statuses(CLI::App& command, std::map<int, std::string> meanings) {
  meanings.try_emplace(exit_code::good, "good");
  meanings.try_emplace(exit_code::bad_input, "the command or a file is at fault");
  std::string text;
  for (const auto& [status, meaning] : meanings)
    text += fmt::format("{}{} {}", text.empty() ? "Exit status: " : "; ", status, meaning);
  command.footer(text + ".");
}

/// The meanings of the exit statuses of `compare` and `gate`.
inline std::map<int, std::string> statuses_of_comparison() {
  return {{exit_code::good, "nothing is slower"},
          {exit_code::wrong_or_regressed, "a case is slower or wrong"},
          {exit_code::inconclusive, "inconclusive"},
          {exit_code::incomplete, "a case is missing, failed, or cannot be compared"}};
}

/// The meaning of exit_code::interrupted for commands that measure.
inline constexpr const char* interrupted_and_saved = "interrupted (what was measured is saved)";

/// Declares an option in minutes: a number above 0, and at most a year.
inline void add_minutes_option(CLI::App& command, const char* name, double& minutes, const char* meaning) {
  constexpr double year = 366 * 24 * 60;
  command.add_option(name, minutes, meaning)->check(number_within(number_parameter("", "", 0, year, 1)));
}

/// Declares --threshold, whose default is 3 %.
inline void add_threshold_option(CLI::App& command, double& threshold, const std::string& meaning) {
  command.add_option("--threshold", threshold, meaning + ", as in 3% (the default) or 0.03")
      ->transform(percent());
}

/// Declares --fail-on, of `compare` and `gate`.
inline void add_fail_on_option(CLI::App& command, std::string& fail_on) {
  command
      .add_option("--fail-on", fail_on,
                  "which inconclusive cases end it with 3: inconclusive (all, the default), probable (those "
                  "that are probably slower) or slower (none)")
      ->check(CLI::IsMember(all_names<FailOn>()));
}

/// Makes an option that may be given several times take one word each time. CLI11 would otherwise let it take
/// all words up to the next option, those of positionals included. Returns the option.
inline CLI::Option* take_one_word(CLI::Option* option) {
  return option->allow_extra_args(false);
}

/// Adds itself to the program. The returned function does the work and returns the exit status.
using Subcommand = std::function<std::function<int()>(CLI::App& command)>;

struct SubcommandEntry {
  std::string name, meaning;
  Subcommand add;
};

/// A subcommand whose options `declare` declares, and which does its `work` with them.
template <typename Options>
SubcommandEntry subcommand(const std::string& name, const std::string& meaning,
                           void (*declare)(CLI::App& command, Options& options),
                           int (*work)(const Options& options)) {
  return {name, meaning, [=](CLI::App& command) {
            auto options = std::make_shared<Options>();
            declare(command, *options);
            return [=] { return work(*options); };
          }};
}

/// Registers a subcommand: `const SubcommandRegistration registered(subcommand<Options>(...));`
struct SubcommandRegistration {
  explicit SubcommandRegistration(SubcommandEntry entry);
};

}  // namespace breakeven
