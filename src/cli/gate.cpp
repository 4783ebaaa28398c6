// breakeven gate: checks whether a change made cases slower. Two sides of the same cases are sampled in turn.
#include "session/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "plan/config.h"
#include "plan/shape_kinds.h"
#include "plan/suggestion.h"
#include "reports/document/builders.h"
#include "reports/words/words.h"
#include "results/file_lock.h"
#include "session/backend_names.h"
#include "session/discovery.h"
#include "text/counted.h"
#include "verdicts/selftest.h"

namespace breakeven {
namespace {

struct SideOptions {
  std::string folder, name;
  std::vector<std::string> environment;
  int threads = 0;
};

struct GateOptions {
  CaseSelection selection;
  std::vector<std::string> backends;
  SideOptions base, head;
  int threads = 0;
  double threshold = 0.03, minutes = 10, seconds = 0;
  std::string fail_on = "inconclusive";
  std::filesystem::path selftest;
  Outputs outputs;
  StartOptions start;
  bool quiet = false, only_check = false;
};

void declare_side(CLI::App& command, const std::string& name, const std::string& what, SideOptions& o) {
  command
      .add_option(
          "--" + name, o.folder,
          fmt::format("{}: a folder of backend programs; DIR:NAME for one backend in it, :NAME for one "
                      "of this breakeven",
                      what))
      ->required();
  command.add_option(fmt::format("--{}-name", name), o.name,
                     fmt::format("what reports call the {}, such as a commit; default: its folder", name));
  take_one_word(
      command.add_option(fmt::format("--{}-env", name), o.environment,
                         fmt::format("K=V: set in the environment of the {} alone; may be repeated", name)));
  command.add_option(fmt::format("--{}-threads", name), o.threads,
                     fmt::format("CPU threads of the {} alone", name));
}

void declare(CLI::App& command, GateOptions& o) {
  std::map<int, std::string> statuses = statuses_of_comparison();
  statuses[exit_code::interrupted] = interrupted_and_saved;
  declare_statuses(command, std::move(statuses));
  add_case_options(command, o.selection);
  declare_side(command, "base", "what to compare with", o.base);
  declare_side(command, "head", "what is tested", o.head);
  add_backends_option(command, o.backends, "both sides must have each");
  add_threshold_option(command, o.threshold, "the smallest change that matters");
  add_fail_on_option(command, o.fail_on);
  add_minutes_option(command, "--minutes", o.minutes,
                     "time limit of the whole gate; a case undecided by then is inconclusive; default: 10");
  add_seconds_option(command, o.seconds,
                     "seconds of sampling per case and side, over all launches; default: the config's");
  command.add_option("--threads", o.threads,
                     "CPU threads of both sides; default: one a physical core, within affinity and quota");
  add_start_options(command, o.start);
  command.add_option(
      "--selftest", o.selftest,
      "the result of `breakeven selftest` on this host; default: results/HOST/selftest.json, if it exists");
  o.outputs.declare(command, formats_for<Verdicts>());
  command.add_flag("--check", o.only_check,
                   "only check the config and the options other than --backends, and end with 0 or 2; the "
                   "folders of --base and --head may be missing");
  command.add_flag("--quiet", o.quiet, "no progress line and no report in the terminal");
}

std::vector<std::pair<std::string, std::string>> environment_of(const std::string& option,
                                                                const std::vector<std::string>& pairs) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CommandError("{} {}: must be NAME=VALUE, as in OMP_NUM_THREADS=1", option, pair);
    }
    environment.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

/// The argument of --base or --head: the folders to search, and a backend if one is named.
struct SideArgument {
  std::vector<std::filesystem::path> folders;
  std::string source;        // the folder, as it was given
  std::string backend = {};  // empty means all
};

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

/// Parses DIR, DIR:NAME, or :NAME for a backend of this breakeven. A folder whose own name contains a colon
/// takes precedence. `given` is the option with its value, for messages.
SideArgument parse_side(const std::string& given, const std::string& text) {
  if (is_folder(text)) return {.folders = {text}, .source = text};
  const auto colon = text.rfind(':');
  const std::string folder = text.substr(0, colon);
  if (colon == std::string::npos || (!folder.empty() && !is_folder(folder)))
    throw CommandError("{}: {} is not a folder; give a folder of backend programs, such as a build folder",
                       given, folder);
  const std::string backend = text.substr(colon + 1);
  if (backend.empty())
    throw CommandError("{}: no backend is named after the colon; give DIR or DIR:NAME", given);
  return {.folders = folder.empty() ? backend_folders() : std::vector<std::filesystem::path>{folder},
          .source = folder,
          .backend = backend};
}

/// The programs of a side: all in its folder, or only the named one.
std::vector<BackendProgram> programs_of(const std::string& given, const SideArgument& argument) {
  auto programs = find_backends(argument.folders);
  if (programs.empty()) throw CommandError("{}: holds no program breakeven-backend-NAME", given);
  if (argument.backend.empty()) return programs;
  for (const BackendProgram& program : programs) {
    if (program.name == argument.backend) return {program};
  }
  const std::vector<std::string> known = names_in(programs);
  const bool is_own = is_own_backend(argument.backend);
  if (is_own && argument.source.empty())
    throw CommandError(exit_code::incomplete, "{}: {}", given, why_no_program(argument.backend, programs));
  const std::string meant = did_you_mean(boost::algorithm::to_lower_copy(argument.backend), known);
  throw CommandError("{}: {}{}", given,
                     is_own ? "the folder does not have this backend" : "there is no such backend",
                     meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant);
}

/// A side with its programs, checked before any program is started.
struct FoundSide {
  Side side;
  std::vector<BackendProgram> programs;
};

int side_threads(const std::string& name, const SideOptions& o, int threads) {
  return o.threads > 0 ? choose_threads(o.threads, fmt::format("--{}-threads", name)) : threads;
}

FoundSide find_side(const std::string& name, const SideOptions& o, int threads) {
  const std::string given = fmt::format("--{} {}", name, o.folder);
  const SideArgument argument = parse_side(given, o.folder);
  FoundSide found;
  found.programs = programs_of(given, argument);
  found.side = {.source = argument.source.empty() ? found.programs.front().path.parent_path().string()
                                                  : argument.source,
                .backend = argument.backend,
                .environment = environment_of(fmt::format("--{}-env", name), o.environment),
                .threads = side_threads(name, o, threads),
                .backends = {},
                .name = o.name};
  return found;
}

/// Checks the options of a side that can be checked before its programs are built.
void check_options(const std::string& name, const SideOptions& o) {
  (void)environment_of(fmt::format("--{}-env", name), o.environment);
  (void)side_threads(name, o, 1);
}

/// Requires that a backend is named on both sides or on neither.
void check_names(const GateOptions& o, const Side& base, const Side& head) {
  if (base.backend.empty() && head.backend.empty()) return;
  if (base.backend.empty() || head.backend.empty()) {
    const bool base_lacks = base.backend.empty();
    const std::string& folder = base_lacks ? o.base.folder : o.head.folder;
    throw CommandError(
        "--{0} {1} names no backend, and --{2} does: give --{0} {1}:{3}, or another backend's name",
        base_lacks ? "base" : "head", folder, base_lacks ? "head" : "base",
        base_lacks ? head.backend : base.backend);
  }
  if (!o.backends.empty()) {
    throw CommandError("--backends: leave it out, as --base and --head already name the backends");
  }
}

/// Starts the programs of a side and asks them to describe themselves: those `wanted`, or all but the
/// reference if no name is given.
void probe_backends(FoundSide& found, const std::vector<std::string>& wanted) {
  auto started = found.programs;
  std::erase_if(started, [&](const BackendProgram& program) {
    return !wanted.empty() && std::ranges::find(wanted, program.name) == wanted.end();
  });
  for (BackendRecord& record : probe_all(started, found.side.threads, options_of(found.side))) {
    if (!wanted.empty() || !record.is_reference()) found.side.backends.push_back(std::move(record));
  }
}

bool is_available(const Side& side, const std::string& name) {
  const BackendRecord* found = find_backend(side.backends, name);
  return found != nullptr && found->available;
}

/// Why a side does not have a backend.
std::string why_not(const std::string& side_name, const Side& side, const std::string& name) {
  const BackendRecord* found = find_backend(side.backends, name);
  return fmt::format("the {} has no {}: {}", side_name, name,
                     found != nullptr
                         ? found->reason
                         : fmt::format("there is no breakeven-backend-{} in {}", name, side.shown_name()));
}

/// Pairs the backends in the order given, or by name if no order is given. Reports a backend that one side
/// lacks; leaves out a backend that both lack.
std::vector<BackendPair> pairs_of(const GatePlan& plan, const std::vector<std::string>& wanted,
                                  bool must_be_there) {
  std::vector<BackendPair> candidates;
  if (!plan.base.backend.empty()) {
    candidates.push_back({.base = plan.base.backend, .head = plan.head.backend});
  } else {
    std::vector<std::string> names = wanted;
    if (names.empty()) {
      for (const Side* side : {&plan.base, &plan.head}) {
        for (const auto& b : side->backends) names.push_back(b.name);
      }
      std::ranges::sort(names);
      names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    for (const std::string& name : names) candidates.push_back({.base = name, .head = name});
  }
  std::vector<BackendPair> pairs;
  for (const BackendPair& pair : candidates) {
    const bool in_base = is_available(plan.base, pair.base), in_head = is_available(plan.head, pair.head);
    const std::string why =
        in_base ? why_not("head", plan.head, pair.head) : why_not("base", plan.base, pair.base);
    if (must_be_there && !(in_base && in_head)) throw CommandError(exit_code::incomplete, why);
    if (in_base || in_head) pairs.push_back(pair);
    if (!in_base || !in_head) tell(why);
  }
  if (pairs.empty())
    throw CommandError(exit_code::incomplete, "neither side has a backend that is available here");
  return pairs;
}

/// Reads a selftest. A named file must exist; the one in its default place may be missing.
std::optional<Selftest> find_selftest(const std::filesystem::path& named) {
  if (!named.empty()) return read_selftest(named);
  const auto usual = results_folder() / selftest_file;
  std::error_code error;
  if (!std::filesystem::exists(usual, error)) return std::nullopt;
  return read_selftest(usual);
}

std::string untried_shapes_text(const ShapeKinds& kinds) {
  const char* missing = kinds.odd    ? "a thin shape"
                        : kinds.thin ? "an odd size"
                                     : "an odd size or a thin shape";
  return fmt::format(
      "No matrix product here has {}; such products can get slower alone. The config {} has them.", missing,
      all_shapes_config);
}

/// Says how long the gate takes, before it starts. Programs are not asked yet in a check, which knows their
/// number only if the config or --backends names them.
void tell_minutes(const GateOptions& o, const GatePlan& plan, std::size_t backends) {
  const std::size_t cases = plan.config.cases.size() * backends;
  if (o.quiet || cases == 0) return;
  const GateSeconds needed = estimated_seconds(plan.config, backends, plan.rules);
  const auto minutes = [](double seconds) { return static_cast<std::int64_t>(std::ceil(seconds / 60)); };
  tell(fmt::format(
      "{}: about {} if nothing changed and the machine is quiet, {} if every case did; --minutes {:g} {}",
      counted_text(cases, "case", "cases"), counted_text(minutes(needed.unchanged), "minute", "minutes"),
      minutes(needed.changed), o.minutes,
      needed.unchanged > 60 * o.minutes ? "is too short for that" : "is the limit"));
}

int gate(const GateOptions& o) {
  const Interruption interruption;
  std::vector<std::filesystem::path> inputs = files_of_configs(o.selection.configs);
  inputs.push_back(o.selftest.empty() ? results_folder() / selftest_file : o.selftest);
  o.outputs.check(inputs);
  const FileLock lock(o.outputs.file_of("--out"));
  GatePlan plan;
  plan.config = select_cases(o.selection);
  if (o.seconds > 0) plan.config.measure.max_seconds = o.seconds;
  apply_start_options(o.start, plan.config.measure);
  plan.threads = choose_threads(o.threads, plan.config.measure);
  plan.max_seconds = 60 * o.minutes;
  plan.rules.threshold = o.threshold;
  const auto selftest = find_selftest(o.selftest);
  if (o.only_check) {
    check_options("base", o.base);
    check_options("head", o.head);
    tell_minutes(o, plan, o.backends.empty() ? plan.config.backends.size() : o.backends.size());
    return exit_code::good;
  }
  FoundSide base = find_side("base", o.base, plan.threads);
  FoundSide head = find_side("head", o.head, plan.threads);
  check_names(o, base.side, head.side);
  std::vector<BackendProgram> programs = base.programs;
  programs.insert(programs.end(), head.programs.begin(), head.programs.end());
  check_backend_names(o.backends, programs);
  const bool two_backends = !base.side.backend.empty();
  const auto& config_or_option = o.backends.empty() ? plan.config.backends : o.backends;
  for (FoundSide* side : {&base, &head})
    probe_backends(*side, two_backends ? std::vector{side->side.backend} : config_or_option);
  plan.base = std::move(base.side);
  plan.head = std::move(head.side);
  plan.backends = pairs_of(plan, config_or_option, two_backends || !o.backends.empty());
  // The one beside the driver: a program that is compared must not verify itself.
  plan.reference_backend = find_named_backends({"reference"}, plan.threads).reference_backend;

  tell_minutes(o, plan, plan.backends.size());
  ProgressLine line(o.quiet);
  WorkingFile working(o.outputs.file_of("--out"));
  Verdicts verdicts = run_gate(
      plan,
      [&](const Verdicts& so_far) { working.save([&] { return to_json_text(so_far, report_words()); }); },
      [&](const SessionProgress& p) { line.show(p); });
  line.clear();
  if (selftest) {
    GateRules rules = plan.rules;
    rules.cases = std::max<std::size_t>(1, verdicts.cases.size());
    for (Note& warning : selftest_warnings(*selftest, verdicts.host, rules))
      verdicts.warnings.push_back(std::move(warning));
  }
  if (const auto kinds = shape_kinds(plan.config.cases); kinds && !(kinds->odd && kinds->thin))
    verdicts.notes.push_back(untried_shapes_text(*kinds));
  if (o.quiet && exit_status(verdicts) == exit_code::incomplete) tell(document_of(verdicts).title);
  write_or_rescue(o.outputs.file_of("--out"), to_json_text(verdicts, report_words()), [&] {
    if (!o.quiet && !o.outputs.replace_the_report()) print_document(document_of(verdicts), true);
    o.outputs.write(&verdicts, o.quiet);
  });
  return Interruption::requested() ? exit_code::interrupted
                                   : exit_status(verdicts, *parse_name<FailOn>(o.fail_on));
}

const SubcommandRegistration gate_command(subcommand<GateOptions>(
    "gate", "did it get slower? two builds, or two backends, sampled in turn", declare, gate));

}  // namespace
}  // namespace breakeven
