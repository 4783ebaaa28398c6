// Selects cases and backends, with the same options for several subcommands.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/subcommand.h"
#include "plan/config.h"
#include "results/filter.h"
#include "results/result.h"
#include "session/discovery.h"

namespace breakeven {

struct CaseSelection {
  std::vector<std::filesystem::path> configs;
  std::string filter;
  std::string shard;
};

/// Declares `--filter`, which keeps what `of` names, as in "cases whose id".
void add_filter_option(CLI::App& command, std::string& filter, const std::string& of);
/// Removes the items whose id, id_of(item), the regular expression `filter` does not find; an empty one finds
/// all. Throws FilterError for a malformed one, and CommandError if nothing is left.
template <class Item, class IdOf>
void keep_found(const std::string& filter, std::vector<Item>& items, IdOf id_of) {
  if (filter.empty()) return;
  const Filter wanted(filter);
  std::erase_if(items, [&](const Item& item) { return !wanted.finds(id_of(item)); });
  if (items.empty())
    throw CommandError("--filter {}: finds none of the cases; `breakeven list` shows their ids", filter);
}

/// Declares `--backends`, which keeps some of them; `what` is said of these.
void add_backends_option(CLI::App& command, std::vector<std::string>& names, const std::string& what);

void add_case_options(CLI::App& command, CaseSelection& selection);
/// Declares `--shard`, for commands whose results `merge` joins, and for `list`.
void add_shard_option(CLI::App& command, CaseSelection& selection);

/// Reads the configs and keeps the requested cases. Throws CommandError if none is left.
Config select_cases(const CaseSelection& selection);

/// How programs are started.
struct StartOptions {
  bool library_defaults = false;
  std::string launcher;
};
/// Declares the options, the same for all commands that measure.
void add_start_options(CLI::App& command, StartOptions& options);
/// Declares --seconds, with the limits of max_seconds in configs.
void add_seconds_option(CLI::App& command, double& seconds, const char* meaning);
/// Limits the time of each case, with that for its energy. 0 seconds: as the config says.
void limit_case_seconds(Measure& measure, double seconds);
/// Applies the options to what the config says. Programs started from now on keep their libraries' defaults
/// if one of the two says so. Throws CommandError for a launcher that starts no ranks.
void apply_start_options(const StartOptions& options, Measure& measure);

struct BackendChoice {
  std::vector<BackendRecord> measured;  // in the requested order, including unavailable ones
  std::optional<BackendRecord> reference_backend;
  bool are_named = false;  // by --backends or the config
};

/// Throws CommandError with status 2 for a name (from --backends) that neither one of `programs` nor a
/// backend of this project has. Starts no program.
void check_backend_names(const std::vector<std::string>& names, std::span<const BackendProgram> programs);

/// Throws CommandError unless one of `backends` is available: with status 2 if no backends of these names
/// exist anywhere, because they are mistyped, and with 4 if they are not available here. The message begins
/// with `where`.
void expect_a_backend(const std::vector<BackendRecord>& backends, const std::string& where);

/// The backends of these names, or every contender if none is named. An unavailable one stays in the list
/// with its reason; one without a program has an empty `program`. Available ones go on in `started`, if
/// given.
BackendChoice find_named_backends(const std::vector<std::string>& named, int threads,
                                  StartedPrograms* started = nullptr);

/// Chooses the backends to measure. Those in `wanted` (from --backends) must be available; otherwise throws
/// CommandError with the reason, with status 2 for a name that no backend has, otherwise 4. If `wanted` is
/// empty, returns those of the config, and if it names none, every contender. Unavailable ones stay in the
/// list, with the reason. Available ones go on in `started`, if given.
BackendChoice choose_backends(const std::vector<std::string>& wanted,
                              const std::vector<std::string>& in_config, int threads,
                              StartedPrograms* started = nullptr);

/// Refuses to go on where the kernel's files are missing.
void expect_proc();

/// Calls expect_proc(). Checks the number of threads: at least one, at most the number of CPUs, and within
/// the user's limit (host/library_variables.h); 0 selects compute_threads().
int choose_threads(int asked, const std::string& option = "--threads");
/// The same with the number of a command line, or if that is 0, of the config.
int choose_threads(int asked, const Measure& measure);

/// The numbers of threads below `all` that are timed for each case, to take the fastest.
std::vector<int> fewer_threads(int all);

}  // namespace breakeven
