#include "cli/selection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/named_files.h"
#include "host/cpu.h"
#include "host/library_variables.h"
#include "plan/shards.h"
#include "session/backend_names.h"
#include "session/discovery.h"
#include "session/launcher.h"
#include "session/schedule.h"
#include "text/counted.h"
#include "text/printable.h"
#include "verdicts/verdict.h"

namespace breakeven {

void add_filter_option(CLI::App& command, std::string& filter, const std::string& of) {
  command.add_option("--filter", filter, fmt::format("only {} this regular expression (RE2) finds", of))
      ->type_name("REGEX");
}

void add_backends_option(CLI::App& command, std::vector<std::string>& names, const std::string& what) {
  take_one_word(command.add_option("--backends", names, fmt::format("only these, and {}: a,b", what)))
      ->type_name("BACKENDS")
      ->delimiter(',');
}

void add_case_options(CLI::App& command, CaseSelection& selection) {
  accept_config_names(command.add_option("CONFIG", selection.configs,
                                         "configs, by path or by name; `breakeven list` shows them"))
      ->required();
  add_filter_option(command, selection.filter, "cases whose id");
}

void add_shard_option(CLI::App& command, CaseSelection& selection) {
  command
      .add_option("--shard", selection.shard,
                  "only part I of N parts that take about equally long, for N machines or jobs; `breakeven "
                  "merge` joins their results")
      ->type_name("I/N");
}

void add_start_options(CLI::App& command, StartOptions& options) {
  command.add_flag("--library-defaults", options.library_defaults,
                   "OpenBLAS and BLIS keep the kernels that they choose by themselves; default: the fastest "
                   "that they have for this processor");
  command
      .add_option("--launcher", options.launcher,
                  "the command that starts the processes of a case with several ranks, as in 'srun -n "
                  "{ranks}'; default: the config's, or else the mpirun in PATH")
      ->type_name("COMMAND");
}

void add_seconds_option(CLI::App& command, double& seconds, const char* meaning) {
  command.add_option("--seconds", seconds, meaning)
      ->check(number_within(*find_parameter(measure_parameters(), "max_seconds")));
}

void limit_case_seconds(Measure& measure, double seconds) {
  constexpr double least_for_energy = 0.5;  // a GPU renews its counter ten times a second or less
  if (seconds <= 0) return;
  measure.max_seconds = seconds;
  measure.energy_seconds = seconds < least_for_energy ? 0 : std::min(measure.energy_seconds, seconds);
}

void apply_start_options(const StartOptions& options, Measure& measure) {
  measure.library_defaults = measure.library_defaults || options.library_defaults;
  if (measure.library_defaults) start_with_library_defaults();
  if (!options.launcher.empty()) measure.launcher = options.launcher;
  if (measure.launcher.empty()) return;
  try {
    launch_words(measure.launcher, 2);
  } catch (const std::runtime_error& e) {
    throw CommandError("--launcher: {}", e.what());
  }
}

Config select_cases(const CaseSelection& selection) {
  Config config = read_configs(selection.configs);
  keep_found(selection.filter, config.cases, [](const PlannedCase& c) { return c.problem.id(); });
  if (!selection.shard.empty()) {
    const auto shard = parse_shard(selection.shard);
    if (!shard) {
      throw CommandError("--shard {}: must be I/N, as in 1/4, with I from 1 to N", selection.shard);
    }
    if (shard->count > config.cases.size()) {
      throw CommandError("--shard {}: there {} only {}; divide them into at most as many parts",
                         selection.shard, config.cases.size() == 1 ? "is" : "are",
                         counted_text(config.cases.size(), "case", "cases"));
    }
    keep_shard(config, *shard);
  }
  return config;
}

void check_backend_names(const std::vector<std::string>& names, std::span<const BackendProgram> programs) {
  for (const std::string& name : names) {
    if (is_unknown_backend(name, programs))
      throw CommandError("--backends {}: {}", name, no_such_backend(name, programs));
  }
}

void expect_a_backend(const std::vector<BackendRecord>& backends, const std::string& where) {
  if (std::ranges::any_of(backends, &BackendRecord::available)) return;
  const bool are_unknown = !backends.empty() && std::ranges::all_of(backends, [](const auto& b) {
    return b.program.empty() && !is_own_backend(b.name);
  });
  std::string reasons;
  for (const auto& backend : backends)
    reasons += fmt::format("\n  {}: {}", backend.name, printable(backend.reason));
  throw CommandError(are_unknown ? exit_code::bad_input : exit_code::incomplete, where + reasons);
}

BackendChoice find_named_backends(const std::vector<std::string>& named, int threads,
                                  StartedPrograms* going_on) {
  const auto programs = find_backends(backend_folders());
  BackendChoice choice;
  choice.are_named = !named.empty();
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(named, name) != named.end();
  };
  constexpr const char* reference = "reference";
  // A backend that is not requested is not started, because importing a framework takes seconds.
  auto started = programs;
  std::erase_if(started, [&](const BackendProgram& program) {
    return !named.empty() && !is_named(program.name) && program.name != reference;
  });
  for (BackendRecord& record : probe_all(started, threads, {}, going_on)) {
    // Another program with the role of a reference may be measured, such as an earlier commit's, but must not
    // verify itself.
    if (record.name == reference && record.available && record.is_reference())
      choice.reference_backend = record;
    if (named.empty() ? !record.is_reference() : is_named(record.name))
      choice.measured.push_back(std::move(record));
  }
  for (const auto& name : named) {
    if (find_backend(choice.measured, name) != nullptr) continue;
    BackendRecord missing;
    missing.name = name;
    missing.reason = why_no_program(name, programs);
    choice.measured.push_back(std::move(missing));
  }
  if (!named.empty()) {
    std::ranges::stable_sort(choice.measured, {},
                             [&](const BackendRecord& b) { return std::ranges::find(named, b.name); });
  }
  return choice;
}

BackendChoice choose_backends(const std::vector<std::string>& wanted,
                              const std::vector<std::string>& in_config, int threads,
                              StartedPrograms* started) {
  check_backend_names(wanted, find_backends(backend_folders()));
  BackendChoice choice = find_named_backends(wanted.empty() ? in_config : wanted, threads, started);
  for (const auto& backend : choice.measured) {
    if (!wanted.empty() && !backend.available) {
      throw CommandError(exit_code::incomplete, "--backends {}: not available: {}", backend.name,
                         backend.reason);
    }
  }
  expect_a_backend(choice.measured, "no backend is available here");
  return choice;
}

void expect_proc() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self", error);
  if (!self.empty() && self != std::to_string(getpid()))
    throw CommandError(exit_code::incomplete,
                       "/proc shows the processes of another namespace, in which this is {}: nothing can be "
                       "measured with it, because backends are found and watched through it; mount its own "
                       "(unshare --mount-proc, or mount -t proc proc /proc)",
                       self.string());
  if (!std::filesystem::read_symlink("/proc/self/exe", error).empty()) return;
  const bool is_mounted = std::filesystem::exists("/proc/self", error);
  throw CommandError(
      exit_code::incomplete,
      "{}: nothing can be measured without it, because backends are found and watched through it; "
      "mount it (mount -t proc proc /proc)",
      is_mounted ? "/proc/self/exe cannot be read" : "/proc is not mounted");
}

int choose_threads(int asked, const std::string& option) {
  expect_proc();
  if (asked == 0) return compute_threads();
  const int most = static_cast<int>(allowed_cpus().size());
  if (asked < 1 || asked > most) {
    throw CommandError("{} {}: must be from 1 to {}, the CPUs that this process may use", option, asked,
                       most);
  }
  if (const auto limit = thread_limit(); limit && asked > limit->most) {
    throw CommandError("{} {}: {}={} allows no more than {}; unset it", option, asked, limit->variable,
                       limit->most, limit->most);
  }
  return asked;
}

int choose_threads(int asked, const Measure& measure) {
  return asked != 0 ? choose_threads(asked) : choose_threads(measure.threads, "measure.threads");
}

std::vector<int> fewer_threads(int all) {
  return fewer_threads(all, fast_cores(cpu_of_each_core(allowed_cpus())));
}

}  // namespace breakeven
