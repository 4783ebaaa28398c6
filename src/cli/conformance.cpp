// breakeven conformance PROGRAM: checks whether it keeps the worker protocol.
#include "session/conformance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/messages.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "session/backend_names.h"
#include "session/discovery.h"

namespace breakeven {
namespace {

/// The program for a path or the name of a backend here. Throws CommandError with status 2 for a name that no
/// backend has.
std::filesystem::path find_program(const std::filesystem::path& given,
                                   const std::vector<BackendProgram>& programs) {
  std::error_code error;
  if (given.has_parent_path() || std::filesystem::is_regular_file(given, error)) return given;
  const std::string name = given.string();
  const auto found = std::ranges::find(programs, name, &BackendProgram::name);
  if (found != programs.end()) return found->path;
  if (is_unknown_backend(name, programs)) throw CommandError("{}: {}", name, no_such_backend(name, programs));
  throw CommandError(exit_code::incomplete, "{}: {}", name, why_no_program(name, programs));
}

struct ConformanceOptions {
  std::filesystem::path program;
  std::string filter;
  double timeout = 60;
  bool verbose = false;
};

int conformance(const ConformanceOptions& o) {
  expect_proc();
  const Interruption interruption;
  const auto programs = find_backends(backend_folders());
  const std::filesystem::path program = find_program(o.program, programs);
  std::error_code error;
  if (access(program.c_str(), X_OK) != 0 || std::filesystem::is_directory(program, error)) {
    throw CommandError("{}: is not a program that can be run", program.string());
  }
  const auto reference_backend = std::ranges::find(programs, "reference", &BackendProgram::name);
  if (reference_backend == programs.end())
    throw CommandError(exit_code::incomplete,
                       "there is no breakeven-backend-reference beside the driver to judge results by");
  const Filter wanted(o.filter);
  bool found = o.filter.empty();
  const auto is_wanted = [&](const std::string& id) {
    const bool is = wanted.finds(id);
    found |= is;
    return is;
  };
  // A path with a slash is not searched in PATH.
  const auto checks = check_conformance(
      std::filesystem::path(".") / program, reference_backend->path, o.timeout, is_wanted,
      [&](const Check& check) {
        if (Interruption::requested()) throw CommandError(exit_code::interrupted, "interrupted");
        const bool failed = check.outcome == Check::Outcome::failed;
        if (!failed && !o.verbose) return;
        const char* word = failed                                    ? "FAILED "
                           : check.outcome == Check::Outcome::passed ? "passed "
                                                                     : "skipped";
        print(fmt::format("{} {}{}{}\n", word, check.name, check.detail.empty() ? "" : ": ", check.detail));
        std::cout.flush();
      });
  const auto count = [&](Check::Outcome outcome) {
    return std::ranges::count(checks, outcome, &Check::outcome);
  };
  print(fmt::format("{} passed, {} failed, {} skipped\n", count(Check::Outcome::passed),
                    count(Check::Outcome::failed), count(Check::Outcome::skipped)));
  if (!found && count(Check::Outcome::failed) == 0)
    throw CommandError("--filter {}: finds none of this program's cases; --verbose shows their ids",
                       o.filter);
  return count(Check::Outcome::failed) == 0 ? exit_code::good : exit_code::wrong_or_regressed;
}

const SubcommandRegistration conformance_command(subcommand<ConformanceOptions>(
    "conformance", "check that a backend program keeps the worker protocol",
    [](CLI::App& command, ConformanceOptions& o) {
      declare_statuses(command, {{exit_code::good, "all checks passed"},
                                 {exit_code::wrong_or_regressed, "a check failed"},
                                 {exit_code::incomplete, "the program, or the reference, is not here"}});
      command
          .add_option("PROGRAM", o.program,
                      "the backend program, by path or name; see docs/adding-a-backend.md")
          ->required();
      add_filter_option(command, o.filter, "cases whose id");
      command.add_option("--timeout", o.timeout, "seconds allowed for each answer")
          ->check(number_within(*find_parameter(measure_parameters(), "timeout_seconds")));
      command.add_flag("--verbose", o.verbose, "show passed and skipped checks too");
    },
    conformance));

}  // namespace
}  // namespace breakeven
