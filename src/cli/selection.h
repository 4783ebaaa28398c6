// Which cases and which backends: what several subcommands ask in the same words.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "plan/config.h"
#include "results/result.h"
#include "session/discovery.h"

namespace breakeven {

struct CaseSelection {
  std::vector<std::filesystem::path> configs;
  std::string filter;
  std::string shard;
};

void add_case_options(CLI::App& command, CaseSelection& selection);

/// Reads the configs and leaves the cases that are asked for. Throws CommandError where none is left.
Config select_cases(const CaseSelection& selection);

/// `--library-defaults`, in the words of all commands that measure.
void add_library_defaults_option(CLI::App& command, bool& chosen);
/// Has the programs that are started from now on keep their libraries' defaults, if the option or the config
/// says so.
void apply_library_defaults(bool option, Measure& measure);

/// The cases of part `text` ("I/N", I from 1 to N), dealt out in turn, so that every part has its share of
/// every sweep.
std::vector<PlannedCase> shard_of(std::vector<PlannedCase> cases, const std::string& text);

struct BackendChoice {
  std::vector<BackendRecord> measured;  // in the order asked for; those that are not available too
  std::optional<BackendRecord> arbiter;
  bool are_named = false;  // by --backends or the config
};

/// Throws CommandError, status 2, for a name (from --backends) that neither one of `programs` nor a backend
/// of this project has. Starts no program.
void check_backend_names(const std::vector<std::string>& names, std::span<const BackendProgram> programs);

/// Throws CommandError unless one of `backends` is available: status 2 if there are no backends of these
/// names anywhere, as they are mistyped; 4 if they are not available here. `where` begins the message.
void expect_a_backend(const std::vector<BackendRecord>& backends, const std::string& where);

/// The backends of these names, or every contender where none is named. One that is not available stays in
/// the list with its reason; one without a program has an empty `program`.
BackendChoice find_named_backends(const std::vector<std::string>& named, int threads);

/// `wanted` (from --backends) must be available: throws CommandError, saying why one is not. The status is 2
/// for a name that no backend has, else 4.
/// Otherwise those of the config, and where it names none every contender there is; what is not available
/// stays in the list, with the reason.
BackendChoice choose_backends(const std::vector<std::string>& wanted,
                              const std::vector<std::string>& in_config, int threads);

/// Rejects fewer than one and more than there are CPUs; 0 is compute_threads().
int choose_threads(int asked, const std::string& option = "--threads");

}  // namespace breakeven
