// breakeven gate: did it get slower? Two sides of the same cases, sampled in turn.
#include "session/gate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/percent.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "session/discovery.h"

namespace breakeven {
namespace {

struct SideOptions {
  std::string folder;
  std::vector<std::string> environment;
  int threads = 0;
};

struct GateOptions {
  CaseSelection selection;
  std::vector<std::string> backends;
  SideOptions base, head;
  int threads = 0;
  double threshold = 0.03, minutes = 10, seconds = 0;
  std::filesystem::path out;
  bool quiet = false;
};

void declare_side(CLI::App& command, const std::string& name, const std::string& what, SideOptions& o) {
  command.add_option("--" + name, o.folder, fmt::format("folder of the backend programs {}", what))
      ->required();
  command.add_option(fmt::format("--{}-env", name), o.environment,
                     fmt::format("K=V: set in the environment of the {} alone; may be repeated", name));
  command.add_option(fmt::format("--{}-threads", name), o.threads,
                     fmt::format("CPU threads of the {} alone", name));
}

void declare(CLI::App& command, GateOptions& o) {
  add_case_options(command, o.selection);
  declare_side(command, "base", "to compare with, as they were", o.base);
  declare_side(command, "head", "to judge, as they are now", o.head);
  command.add_option("--backends", o.backends, "only these, and both sides must have each: a,b")
      ->delimiter(',');
  command
      .add_option("--threshold", o.threshold,
                  "the smallest change that matters, as in 3% (the default) or 0.03")
      ->transform(percent());
  command
      .add_option("--minutes", o.minutes,
                  "time limit of the whole gate; what is not decided by then is inconclusive; default: 10")
      ->check(above_zero());
  command
      .add_option(
          "--seconds", o.seconds,
          "seconds of sampling for a case on each side, if it takes all launches; default: the config's")
      ->check(above_zero());
  command.add_option("--threads", o.threads,
                     "CPU threads of both sides; default: one a physical core, within affinity and quota");
  command.add_option("--out", o.out,
                     "write the verdicts and every sample to this file; - for standard output");
  command.add_flag("--quiet", o.quiet, "no progress line and no table");
}

std::vector<std::pair<std::string, std::string>> environment_of(const std::string& option,
                                                                const std::vector<std::string>& pairs) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CommandError(exit_code::bad_input,
                         fmt::format("{} {}: must be NAME=VALUE, as in OMP_NUM_THREADS=1", option, pair));
    }
    environment.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

/// Of one side: what it has of the backends that are `named`, or all contenders where none is.
GateSide side_of(const std::string& name, const SideOptions& o, const std::vector<std::string>& named,
                 int threads) {
  GateSide side;
  side.source = o.folder;
  side.environment = environment_of(fmt::format("--{}-env", name), o.environment);
  side.threads = o.threads > 0 ? choose_threads(o.threads) : threads;
  std::error_code error;
  if (!std::filesystem::is_directory(o.folder, error)) {
    throw CommandError(exit_code::bad_input,
                       fmt::format("--{} {}: is no folder; give one that holds backend programs, such as a "
                                   "build folder",
                                   name, o.folder));
  }
  const auto programs = find_backends({o.folder});
  if (programs.empty()) {
    throw CommandError(exit_code::bad_input,
                       fmt::format("--{} {}: holds no program breakeven-backend-NAME", name, o.folder));
  }
  WorkerOptions options = worker_options(side.threads);
  options.environment.insert(options.environment.end(), side.environment.begin(), side.environment.end());
  for (const BackendProgram& program : programs) {
    if (!named.empty() && std::find(named.begin(), named.end(), program.name) == named.end()) continue;
    BackendRecord record = probe(program, side.threads, options);
    record.name = program.name;
    if (!named.empty() || record.role != "arbiter") side.backends.push_back(std::move(record));
  }
  return side;
}

const BackendRecord* find_backend(const GateSide& side, const std::string& name) {
  const auto found =
      std::find_if(side.backends.begin(), side.backends.end(), [&](const auto& b) { return b.name == name; });
  return found == side.backends.end() ? nullptr : &*found;
}

bool is_available(const GateSide& side, const std::string& name) {
  const BackendRecord* found = find_backend(side, name);
  return found != nullptr && found->available;
}

/// Why a side does not have a backend.
std::string why_not(const std::string& side_name, const GateSide& side, const std::string& name) {
  const BackendRecord* found = find_backend(side, name);
  return fmt::format("the {} has no {}: {}", side_name, name,
                     found != nullptr
                         ? found->reason
                         : fmt::format("there is no breakeven-backend-{} in {}", name, side.source));
}

/// In the order in which they are named; by name where none is. What neither side has is said and left out.
std::vector<std::string> backends_of(const GatePlan& plan, const std::vector<std::string>& named,
                                     bool must_be_there) {
  std::vector<std::string> candidates = named;
  if (named.empty()) {
    for (const GateSide* side : {&plan.base, &plan.head}) {
      for (const auto& b : side->backends) candidates.push_back(b.name);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }
  std::vector<std::string> backends;
  for (const std::string& name : candidates) {
    const bool in_base = is_available(plan.base, name), in_head = is_available(plan.head, name);
    const std::string why = in_base ? why_not("head", plan.head, name) : why_not("base", plan.base, name);
    if (must_be_there && !(in_base && in_head))
      throw CommandError(exit_code::incomplete, fmt::format("--backends {}: {}", name, why));
    if (in_base || in_head) backends.push_back(name);
    if (!in_base || !in_head) fmt::print(stderr, "breakeven: {}\n", why);
  }
  if (backends.empty())
    throw CommandError(exit_code::incomplete, "neither side has a backend that is available here");
  return backends;
}

/// The judge of right and wrong stands beside the driver: one that is being judged must not judge.
std::optional<BackendRecord> find_arbiter(int threads) {
  for (const BackendProgram& program : find_backends(backend_folders())) {
    if (program.name != "reference") continue;
    BackendRecord record = probe(program, threads);
    if (record.available && record.role == "arbiter") return record;
  }
  return std::nullopt;
}

int gate(const GateOptions& o) {
  GatePlan plan;
  plan.config = select_cases(o.selection);
  if (o.seconds > 0) plan.config.measure.max_seconds = o.seconds;
  plan.threads = choose_threads(o.threads);
  plan.max_seconds = 60 * o.minutes;
  plan.rules.threshold = o.threshold;
  const auto& named = o.backends.empty() ? plan.config.backends : o.backends;
  plan.base = side_of("base", o.base, named, plan.threads);
  plan.head = side_of("head", o.head, named, plan.threads);
  plan.backends = backends_of(plan, named, !o.backends.empty());
  plan.arbiter = find_arbiter(plan.threads);

  const Interruption interruption;
  ProgressLine line(o.quiet);
  const Verdicts verdicts = run_gate(
      plan, [](const Verdicts&) {}, [&](const SessionProgress& p) { line.show(p); });
  line.clear();
  for (const auto& c : verdicts.cases) {
    fmt::print("{:<12} {:<60} {:<10} {}", name(c.verdict), c.id, c.backend, c.launches.size());
    if (c.ratio)
      fmt::print("  {:+.2f} % ({:+.2f} to {:+.2f})", (c.ratio->value - 1) * 100, (c.ratio->low - 1) * 100,
                 (c.ratio->high - 1) * 100);
    fmt::print(" {}\n", c.reason);
  }
  fmt::print("{:.0f} s\n", verdicts.wall_seconds);
  return Interruption::requested() ? exit_code::interrupted : exit_status(verdicts);
}

const SubcommandRegistration gate_command({"gate",
                                           "judge a change: two sides of the same cases, sampled in turn",
                                           [](CLI::App& command) {
                                             auto o = std::make_shared<GateOptions>();
                                             declare(command, *o);
                                             return [o] { return gate(*o); };
                                           }});

}  // namespace
}  // namespace breakeven
