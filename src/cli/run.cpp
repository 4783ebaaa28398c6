// breakeven run: measures, saves, and shows results.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>

#include "cli/labels.h"
#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "cli/version_text.h"
#include "plan/config.h"
#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "reports/words/words.h"
#include "results/file_lock.h"
#include "results/whole_file.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "session/session.h"
#include "session/worker_process.h"
#include "text/counted.h"
#include "text/shell.h"
#include "verdicts/differences.h"
#include "verdicts/machines.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

struct Options {
  CaseSelection selection;
  std::vector<std::string> backends;
  std::filesystem::path out, resume;
  double seconds = 0, precision = 0;
  int threads = 0;
  std::string machine;
  StartOptions start;
  bool quiet = false;
  double p99 = 0;
};

void declare(CLI::App& command, Options& o) {
  declare_statuses(command, {{exit_code::good, "measured"},
                             {exit_code::wrong_or_regressed, "a result is wrong"},
                             {exit_code::incomplete, "cases are missing or failed, or a backend is not here"},
                             {exit_code::interrupted, interrupted_and_saved}});
  add_case_options(command, o.selection);
  add_shard_option(command, o.selection);
  add_backends_option(command, o.backends, "each must be available");
  accept_output_file(
      command.add_option(
          "--out", o.out,
          "the result file; default: results/HOST/CONFIG.json, or CONFIG.shard-1-of-3.json for "
          "--shard 1/3; - for standard output. A file that is there is kept as "
          "NAME.previous.json"))
      ->take_last();  // so that a script which sets it (scripts/quickstart) can be overridden
  accept_result_names(command.add_option("--resume", o.resume,
                                         "continue this result file: measure only what is missing in it"));
  add_seconds_option(command, o.seconds, "time limit of a case on a backend; default: the config's");
  command
      .add_option("--precision", o.precision,
                  "stop a case when its interval is within this fraction of its median, as in 2% or 0.02")
      ->transform(percent());
  command.add_option("--threads", o.threads,
                     "CPU threads; default: one a physical core, within affinity and quota, and fewer where "
                     "that is faster");
  take_one_word(command.add_option(
      "--machine", o.machine,
      "this machine's name in reports, rankings and charts; default: what distinguishes it there"));
  add_start_options(command, o.start);
  add_p99_option(command, o.p99, largest_batch_meaning);
  command.add_flag("--quiet", o.quiet, "no progress line and no table");
}

/// Shards have files of their own, so that those measured on one host do not replace each other.
std::filesystem::path default_output(const CaseSelection& selection, const std::optional<ShardRecord>& part) {
  const std::string shard = part ? fmt::format(".shard-{}-of-{}", part->shard.number, part->shard.count) : "";
  return results_folder() / (selection.configs.front().stem().string() + shard + ".json");
}

/// Refuses an output whose file, or the earlier result kept next to it, would replace an input of the run.
void refuse_to_replace_inputs(const std::filesystem::path& out, const Options& o) {
  std::vector<std::filesystem::path> inputs = files_of_configs(o.selection.configs);
  refuse_inputs({.option = "--out", .path = out.string()}, inputs);
  std::error_code error;
  if (out == "-" || !std::filesystem::exists(out, error)) return;
  inputs.push_back(o.resume);
  refuse_inputs({.option = fmt::format("--out {}: the earlier file would be kept as", out.string()),
                 .path = previous_of(link_target(out)).string()},
                inputs);
}

/// Checks that an earlier run is of this machine and these programs, because results of different ones must
/// not be mixed.
void check_resumable(const Result& earlier, const SessionPlan& plan, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw CommandError("--resume {}: {}; start again with --out", file, why);
  };
  const auto& shard = plan.config.shard;
  if (earlier.shard && shard) {
    if (earlier.shard->shard != shard->shard)
      throw CommandError("--resume {0}: is shard {1}, not {2}; continue it with --shard {1}", file,
                         earlier.shard->shard.text(), shard->shard.text());
    if (earlier.shard->fingerprint != shard->fingerprint) refuse("is a shard of other cases");
  }
  const Host here = describe_host(plan.threads);
  if (earlier.host.cpu != here.cpu) {
    refuse(fmt::format("was measured on {} ({}), this is {} ({})", earlier.host.name, earlier.host.cpu,
                       here.name, here.cpu));
  }
  if (!earlier.host.cpu_identity.empty() && earlier.host.cpu_identity != here.cpu_identity) {
    refuse(fmt::format("was measured on a processor that calls itself {}, this is {}",
                       earlier.host.cpu_identity, identity_text(here)));
  }
  if (earlier.host.threads != here.threads)
    refuse(fmt::format("was measured with {}, not {}",
                       counted_text(earlier.host.threads, "thread", "threads"), here.threads));
  Result now;
  now.host = here;
  std::optional<Nvml> nvml;
  now.host.gpus = describe_gpus(plan.backends, nvml);
  now.backends = plan.backends;
  now.config = plan.config.json;
  for (const FoundDifference& found : run_differences(earlier, now)) refuse(note_text(found.note));
  for (const BackendRecord& backend : now.backends) {
    const BackendRecord* then = find_backend(earlier.backends, backend.name);
    if (then == nullptr || !then->available || !backend.available) continue;
    for (const FoundDifference& found : backend_differences(earlier, now, backend.name))
      refuse(note_text(found.note));
  }
}

/// The options without which a continued shard would have other cases, backends or settings than the others,
/// so that `merge` would refuse it: " --seconds 0.5".
std::string options_of_all_shards(const Options& o) {
  std::string text;
  if (!o.selection.filter.empty()) text += " --filter " + shell_word(o.selection.filter);
  if (!o.backends.empty()) text += " --backends " + shell_word(fmt::format("{}", fmt::join(o.backends, ",")));
  if (o.seconds > 0) text += fmt::format(" --seconds {}", o.seconds);
  if (o.precision > 0) text += fmt::format(" --precision {}", o.precision);
  if (o.threads > 0) text += fmt::format(" --threads {}", o.threads);
  if (o.start.library_defaults) text += " --library-defaults";
  return text;
}

/// The options that continue an interrupted run.
std::string options_to_continue(const Options& o, const Result& result, const std::string& out) {
  std::string resume = "--resume " + shell_file(out);
  if (!result.shard) return resume;
  return fmt::format("--shard {} {}{}", result.shard->shard.text(), resume, options_of_all_shards(o));
}

/// The user's next step in shell syntax: "build/breakeven report quick.json --html quick.html", with this
/// program as it was called.
std::string command_to_report(const std::filesystem::path& result) {
  return fmt::format("{} report {} --html {}",
                     shell_word(program_invocation_name),  // argv[0], from glibc
                     shell_file(result.string()), shell_file(result.stem().string() + ".html"));
}

/// What --quiet leaves of a run in which no case is good: the first reason.
void tell_why_none_is_good(const Result& result) {
  if (result.cases.empty() ||
      std::ranges::any_of(result.cases, [](const CaseResult& c) { return c.status == Status::ok; }))
    return;
  const CaseResult& first = result.cases.front();
  tell(fmt::format("none of {} is good; {} on {}: {}: {}",
                   counted_text(result.cases.size(), "result", "results"), first.id, first.backend,
                   name(first.status), explain(first)));
}

/// True if the run measures a case on the backend, which is not in the result that it continues.
bool has_work(const BackendRecord& backend, const SessionPlan& plan) {
  std::set<std::string_view> done;
  if (plan.earlier) {
    for (const CaseResult& c : plan.earlier->cases) {
      if (c.backend == backend.name && c.status != Status::interrupted) done.insert(c.id);
    }
  }
  return std::ranges::any_of(plan.config.cases, [&](const PlannedCase& planned) {
    return takes(backend, planned.problem) && !done.contains(planned.problem.id());
  });
}

int run(const Options& o) {
  const Interruption interruption;
  SessionPlan plan;
  plan.config = select_cases(o.selection);
  if (o.p99 > 0 && std::ranges::none_of(plan.config.cases, [](const PlannedCase& one) {
        return one.problem.workload->measures_latency();
      }))
    throw CommandError("{}", no_latencies_text);
  limit_case_seconds(plan.config.measure, o.seconds);
  if (o.precision > 0) plan.config.measure.precision = o.precision;
  apply_start_options(o.start, plan.config.measure);
  plan.threads = choose_threads(o.threads, plan.config.measure);
  const bool computes_in_ranks = std::ranges::any_of(
      plan.config.cases, [](const PlannedCase& one) { return ranks_of(one.problem.parameters) > 1; });
  // Several ranks take all, and are compared with one.
  if (o.threads == 0 && plan.config.measure.threads == 0 && !computes_in_ranks)
    plan.fewer_threads = fewer_threads(plan.threads);
  plan.commit = source_commit();
  plan.machine = printable(o.machine);
  if (!o.resume.empty()) plan.earlier = read_result(o.resume);
  const auto out = !o.out.empty()      ? o.out
                   : !o.resume.empty() ? o.resume
                                       : default_output(o.selection, plan.config.shard);
  refuse_to_replace_inputs(out, o);
  const FileLock lock(out);
  ResultWriter writer(out, report_words());  // must come before any program is started

  StartedPrograms started;
  BackendChoice backends = choose_backends(o.backends, plan.config.backends, plan.threads, &started);
  plan.backends = std::move(backends.measured);
  plan.backends_are_named = backends.are_named;
  plan.reference_backend = std::move(backends.reference_backend);
  if (plan.earlier) check_resumable(*plan.earlier, plan, o.resume.string());
  started.keep_only([&](const std::filesystem::path& program) {
    return std::ranges::any_of(plan.backends, [&](const BackendRecord& backend) {
      return backend.program == program.string() && has_work(backend, plan);
    });
  });

  ProgressLine line(o.quiet);
  const Result result = run_session(
      plan, [&](const Result& r, std::size_t first_changed) { writer.update(r, first_changed); },
      [&](const SessionProgress& p) { line.show(p); }, handing_over(started));
  line.clear();
  const bool saved = writer.finish(result);
  if (!o.quiet && out != "-") {
    Measured measured{
        .results = {result}, .thresholds = {}, .p99 = o.p99 > 0 ? std::optional(o.p99) : std::nullopt};
    const std::array hosts{&measured.results.front().host};
    take_recorded_names(hosts);
    print_document(text_document_of(measured));
    if (saved) report_saved_file(out.string(), command_to_report(out));
  }
  const bool interrupted = Interruption::requested();
  if (o.quiet && saved && !interrupted) tell_why_none_is_good(result);
  if (!saved)
    tell(fmt::format("{}; {} stays as it was",
                     interrupted ? "interrupted before anything was measured" : "nothing was measured",
                     out.string()));
  else if (interrupted)
    tell("interrupted; continue with " + options_to_continue(o, result, out.string()));
  return interrupted ? exit_code::interrupted : exit_status(result);
}

const SubcommandRegistration run_command(
    subcommand<Options>("run", "measure the cases of configs and save a result file", declare, run));

}  // namespace
}  // namespace breakeven
