// breakeven gate: did it get slower? Two sides of the same cases, sampled in turn.
#include "session/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/percent.h"
#include "cli/progress_line.h"
#include "cli/results_folder.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "cli/verdict_outputs.h"
#include "session/discovery.h"
#include "verdicts/selftest.h"

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
  std::filesystem::path selftest;
  VerdictOutputs outputs;
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
      ->type_name("BACKENDS")
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
  command.add_option(
      "--selftest", o.selftest,
      "what `breakeven selftest` found of this host; default: results/HOST/selftest.json, where "
      "there is one");
  add_verdict_outputs(command, o.outputs);
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

/// What is asked for, checked before any program is started.
GateSide side_of(const std::string& name, const SideOptions& o, int threads) {
  std::error_code error;
  if (!std::filesystem::is_directory(o.folder, error)) {
    throw CommandError(exit_code::bad_input,
                       fmt::format("--{} {}: is no folder; give one that holds backend programs, such as a "
                                   "build folder",
                                   name, o.folder));
  }
  if (find_backends({o.folder}).empty()) {
    throw CommandError(exit_code::bad_input,
                       fmt::format("--{} {}: holds no program breakeven-backend-NAME", name, o.folder));
  }
  return {.source = o.folder,
          .environment = environment_of(fmt::format("--{}-env", name), o.environment),
          .threads = o.threads > 0 ? choose_threads(o.threads) : threads,
          .backends = {}};
}

/// Asks the programs of a side who they are: those that are `named`, or all contenders where none is.
void find_backends_of(GateSide& side, const std::vector<std::string>& named) {
  for (const BackendProgram& program : find_backends({side.source})) {
    if (!named.empty() && std::find(named.begin(), named.end(), program.name) == named.end()) continue;
    BackendRecord record = probe(program, side.threads, options_of(side));
    record.name = program.name;
    if (!named.empty() || record.role != "arbiter") side.backends.push_back(std::move(record));
  }
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

/// The file that is named must be there; the one in its usual place may.
std::optional<Selftest> find_selftest(const std::filesystem::path& named) {
  if (!named.empty()) return read_selftest(named);
  const auto usual = results_folder() / selftest_file;
  std::error_code error;
  if (!std::filesystem::exists(usual, error)) return std::nullopt;
  return read_selftest(usual);
}

int gate(const GateOptions& o) {
  check_verdict_outputs(o.outputs);
  GatePlan plan;
  plan.config = select_cases(o.selection);
  if (o.seconds > 0) plan.config.measure.max_seconds = o.seconds;
  plan.threads = choose_threads(o.threads);
  plan.max_seconds = 60 * o.minutes;
  plan.rules.threshold = o.threshold;
  const auto& named = o.backends.empty() ? plan.config.backends : o.backends;
  plan.base = side_of("base", o.base, plan.threads);
  plan.head = side_of("head", o.head, plan.threads);
  for (GateSide* side : {&plan.base, &plan.head}) find_backends_of(*side, named);
  plan.backends = backends_of(plan, named, !o.backends.empty());
  plan.arbiter = find_arbiter(plan.threads);

  const auto selftest = find_selftest(o.selftest);

  const Interruption interruption;
  ProgressLine line(o.outputs.quiet);
  WorkingFile working(o.outputs.out);
  Verdicts verdicts = run_gate(
      plan, [&](const Verdicts& so_far) { working.save([&] { return to_json_text(so_far); }); },
      [&](const SessionProgress& p) { line.show(p); });
  line.clear();
  if (selftest) {
    GateRules rules = plan.rules;
    rules.cases = std::max<std::size_t>(1, verdicts.cases.size());
    for (auto& warning : selftest_warnings(*selftest, verdicts.host, rules))
      verdicts.warnings.push_back(std::move(warning));
  }
  write_verdicts(verdicts, o.outputs);
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
