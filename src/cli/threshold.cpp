// breakeven threshold: finds the value from which one side is faster.
#include "session/threshold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "cli/labels.h"
#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "plan/config.h"
#include "plan/suggestion.h"
#include "rank/rank.h"
#include "reports/document/builders.h"
#include "reports/text.h"
#include "reports/words/rank_words.h"
#include "reports/words/threshold_words.h"
#include "reports/words/words.h"
#include "results/file_lock.h"
#include "session/backend_names.h"
#include "session/discovery.h"
#include "text/shell.h"
#include "verdicts/break_even_from_results.h"
#include "verdicts/measured.h"
#include "verdicts/transfers.h"
#include "version.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

struct ThresholdOptions {
  std::filesystem::path config;
  std::vector<std::filesystem::path> results;  // baseline and challenger, instead of a config
  std::vector<std::string> labels;
  std::string parameter;
  std::filesystem::path prices;
  double p99 = 0;
  Outputs outputs;
  std::string filter;
  double minutes = 60, seconds = 0;
  int threads = 0;
  StartOptions start;
  bool quiet = false;
};

void declare(CLI::App& command, ThresholdOptions& o) {
  declare_statuses(
      command, {{exit_code::good, "answered"},
                {exit_code::wrong_or_regressed, "a result is wrong"},
                {exit_code::inconclusive, "an answer is unclear or less precise than requested"},
                {exit_code::incomplete, "a side could not be measured, or the results cannot be compared"},
                {exit_code::interrupted, interrupted_and_saved}});
  CLI::Option* config = accept_config_names(command.add_option(
      "CONFIG", o.config,
      "a config with a \"threshold\", by path or name, as break-even; see docs/thresholds.md"));
  CLI::Option* results =
      accept_result_names(
          command.add_option(
              "--from-results", o.results,
              "two result files in place of a config: from which value on is the second one's machine "
              "faster than the first one's? Needs --parameter"))
          ->expected(2)
          ->excludes(config);
  command.add_option("--parameter", o.parameter, "whose value is looked for in results, such as batch or m")
      ->needs(results);
  command
      .add_option(
          "--prices", o.prices,
          "what the two machines cost, as JSON: also answers from which value on the second one costs "
          "less; see docs/ranking.md")
      ->needs(results);
  add_p99_option(command, o.p99, largest_batch_meaning)->needs(results);
  declare_label_option(command, o.labels)->needs(results);
  add_minutes_option(command, "--minutes", o.minutes,
                     "time limit; questions still open then end as not answered; default: 60");
  add_filter_option(command, o.filter, "questions whose first case has an id that");
  add_seconds_option(command, o.seconds, "time limit of a value on a backend; default: the config's");
  command.add_option("--threads", o.threads,
                     "CPU threads of sides whose config does not say; default: one a physical core, within "
                     "affinity and quota, and fewer where that is faster");
  add_start_options(command, o.start);
  o.outputs.declare(command, formats_for<Threshold>());
  command.add_flag("--quiet", o.quiet, "no progress line and no report");
  for (const char* of_measuring :
       {"--filter", "--seconds", "--minutes", "--threads", "--library-defaults", "--launcher"})
    results->excludes(command.get_option(of_measuring));
}

/// "cuda: no NVIDIA driver; mkl: not installed"; only the first line of each reason.
std::string why_not_here(const std::vector<BackendRecord>& backends) {
  std::vector<std::string> reasons;
  for (const BackendRecord& backend : backends) {
    if (backend.available) continue;
    reasons.push_back(
        fmt::format("{}: {}", backend.name, backend.reason.substr(0, backend.reason.find('\n'))));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// True if a backend is for GPUs. One that cannot start here does not report its device, but those for GPUs
/// have "cuda" in their names.
bool is_for_gpu(const BackendRecord& backend) {
  const bool exists = !backend.program.empty() || is_own_backend(backend.name);
  return backend.device == "gpu" || (exists && backend.name.find("cuda") != std::string::npos);
}

/// Throws the error for a side that cannot be measured here. If all its backends need a GPU, the message says
/// what to run on which machine.
[[noreturn]] void fail_nothing_here(const ThresholdOptions& o, const ThresholdPlan& plan, std::size_t side) {
  const std::vector<BackendRecord>& backends = plan.sides[side].backends;
  const std::string config = shell_file(o.config.string());
  if (!std::ranges::all_of(backends, is_for_gpu))
    expect_a_backend(backends, fmt::format("{}: the {} has no backend that is available here", config,
                                           threshold_sides[side]));
  const std::string reasons = why_not_here(backends);
  throw CommandError(exit_code::incomplete,
                     "The {} needs a backend for GPUs, and none is available here ({}).\n"
                     "On a machine with a GPU: breakeven threshold {}\n"
                     "On two machines:         breakeven run {} on each, then breakeven threshold "
                     "--from-results CPU.json GPU.json --parameter {}",
                     threshold_sides[side], reasons, config, config, plan.config.parameter);
}

Side side_of(const ThresholdSide& wanted, int threads, std::optional<BackendRecord>& reference_backend) {
  Side side{.source = "this breakeven",
            .environment = {},
            .threads = wanted.threads > 0 ? choose_threads(wanted.threads) : threads,
            .backends = {}};
  BackendChoice found = find_named_backends(wanted.backends, side.threads);
  if (found.reference_backend) reference_backend = std::move(found.reference_backend);
  side.backends = std::move(found.measured);
  return side;
}

/// Keeps the backends of each side that are available here, and reports the others once. A side without any
/// backend is an error.
void choose_sides(ThresholdPlan& plan, const ThresholdOptions& o) {
  const auto is_in_ranks = [](const ThresholdQuestion& question) {
    return std::ranges::any_of(std::array{0, 1}, [&](std::size_t side) {
      return ranks_of(question.at(side, question.from).problem.parameters) > 1;
    });
  };
  // Several ranks take all, and are compared with one.
  const bool may_take_fewer = o.threads == 0 && plan.config.measure.threads == 0 &&
                              std::ranges::none_of(plan.config.questions, is_in_ranks);
  std::vector<BackendRecord> left_out;
  for (std::size_t side = 0; side < 2; ++side) {
    plan.sides[side] = side_of(plan.config.sides[side], plan.threads, plan.reference_backend);
    if (may_take_fewer && plan.config.sides[side].threads == 0)
      plan.fewer_threads[side] = fewer_threads(plan.threads);
    const auto& backends = plan.sides[side].backends;
    if (std::ranges::none_of(backends, &BackendRecord::available)) fail_nothing_here(o, plan, side);
    for (const BackendRecord& backend : backends) {
      if (!backend.available && find_backend(left_out, backend.name) == nullptr) left_out.push_back(backend);
    }
  }
  if (!left_out.empty()) tell(fmt::format("left out, not here: {}", why_not_here(left_out)));
}

/// Prints the report, unless --quiet or one of the formats replaces it, and writes the requested formats.
void write_threshold(const Threshold& found, const ThresholdOptions& o) {
  if (!o.quiet && !o.outputs.replace_the_report()) print_document(document_of(found));
  o.outputs.write(&found, o.quiet);
}

/// Says each answer in the words of the report, with the reason of the first value that failed.
void tell_why_incomplete(const Threshold& found) {
  for (const ThresholdAnswer& answer : found.answers) {
    std::string words = in_words(answer, found);
    const auto failed = std::ranges::find_if_not(answer.points, &std::string::empty, &ThresholdPoint::reason);
    if (failed != answer.points.end())
      words += fmt::format(" {} {}: {}", found.parameter, failed->value, failed->reason);
    tell(printable(words));
  }
}

/// The offers that may have been meant for a device: those of its name, else of the most similar one.
/// Example: " (near: 'small EPYC' of 'AMD EPYC', AuthenticAMD family 25 model 17 stepping 1)".
std::string near_offers(const Prices& prices, const std::string& device) {
  std::vector<std::string> devices;
  for (const Offer& offer : prices.offers) devices.push_back(offer.device);
  const std::string meant =
      std::ranges::find(devices, device) == devices.end() ? nearest(device, devices).value_or("") : device;
  std::vector<std::string> near;
  for (const Offer& offer : prices.offers) {
    if (meant.empty() || offer.device != meant) continue;
    near.push_back(fmt::format("'{}'", offer.name));
    if (offer.name != meant) near.back() += fmt::format(" of '{}'", meant);
    if (!offer.cpu_identity.empty()) near.back() += ", " + offer.cpu_identity;
    if (offer.cpus) near.back() += fmt::format(", {} CPUs", *offer.cpus);
    if (!offer.host.empty()) near.back() += ", host " + offer.host;
    if (!offer.per_hour) near.back() += ", to buy";
  }
  return near.empty() ? "" : fmt::format(" (near: {})", fmt::join(near, "; "));
}

/// The price of the machine of a result: that of its GPU or, without one, of its processors. Throws
/// CommandError.
HourlyPrice price_of(const Result& result, const Ranking& priced, const std::filesystem::path& file) {
  const bool has_gpu = std::ranges::any_of(
      result.cases, [](const CaseResult& c) { return c.has_time() && c.device != "cpu"; });
  const Ranked& one = *std::ranges::find_if(priced.ranked, [&](const Ranked& device) {
    const Host& host = device.candidate.host;
    return device.candidate.is_cpu != has_gpu && host.threads == result.host.threads &&
           machine_key(host) == machine_key(result.host);
  });
  if (!one.offer)
    throw CommandError("--prices {}: {}: {}{}", file.string(), one.candidate.name,
                       unknown_text(priced, one, Metric::cost),
                       near_offers(*priced.prices, one.candidate.device));
  return {.per_hour = *one.offer->per_hour, .from = one.offer->from};
}

/// Compares results of two machines that were measured separately.
int from_results(const ThresholdOptions& o) {
  check_one_standard_input(o.results);
  std::vector<std::filesystem::path> inputs = o.results;
  inputs.push_back(o.prices);
  o.outputs.check(inputs);
  const std::string parameter = o.parameter.empty() && o.p99 > 0 ? "batch" : o.parameter;
  if (parameter.empty())
    throw CommandError(
        "--from-results needs --parameter NAME: whose value is looked for, such as batch or m");
  Measured measured = read_measured(o.results, results_alone, parse_labels(o.labels));
  if (measured.results.size() != 2)
    throw CommandError("--from-results needs two results; {}", printable(skipped_text(measured.skipped)));
  if (o.p99 > 0) expect_latencies(measured.results);
  std::optional<LatencyLimit> within;
  if (o.p99 > 0) within = batches_within(o.p99, measured.results);
  add_cases_of_processors(measured.results, ids_on_gpus(measured.results));
  try {
    Threshold found = threshold_from_results(std::span<const Result, 2>(measured.results), parameter);
    if (!o.prices.empty()) {
      const Ranking priced = priced_devices(measured.results, read_prices(o.prices));
      add_costs(found, {price_of(measured.results[0], priced, o.prices),
                        price_of(measured.results[1], priced, o.prices)});
    }
    found.p99 = std::move(within);
    found.tool_version = version;
    write_threshold(found, o);
    return exit_status(found);
  } catch (const NotComparable& e) {
    throw CommandError(e.status(), fmt::format("--from-results: {}", printable(e.what())));
  }
}

/// Measures both sides in turn.
int measured_threshold(const ThresholdOptions& o) {
  const Interruption interruption;
  o.outputs.check(files_of_configs({o.config}));
  const FileLock lock(o.outputs.file_of("--out"));
  ThresholdPlan plan;
  plan.config = read_threshold_config(o.config);
  keep_found(o.filter, plan.config.questions,
             [](const ThresholdQuestion& q) { return q.at(1, q.from).problem.id(); });
  limit_case_seconds(plan.config.measure, o.seconds);
  apply_start_options(o.start, plan.config.measure);
  plan.threads = choose_threads(o.threads, plan.config.measure);
  plan.max_seconds = 60 * o.minutes;
  choose_sides(plan, o);

  ProgressLine line(o.quiet);
  WorkingFile working(o.outputs.file_of("--out"));
  const Threshold found = run_threshold(
      plan, [&](const auto& so_far) { working.save([&] { return to_json_text(so_far(), report_words()); }); },
      [&](const SessionProgress& p) { line.show(p); });
  line.clear();
  if (o.quiet && exit_status(found) == exit_code::incomplete) tell_why_incomplete(found);
  write_or_rescue(o.outputs.file_of("--out"), to_json_text(found, report_words()),
                  [&] { write_threshold(found, o); });
  return Interruption::requested() ? exit_code::interrupted : exit_status(found);
}

int threshold(const ThresholdOptions& o) {
  if (!o.results.empty()) return from_results(o);
  if (o.config.empty())
    throw CommandError(
        "CONFIG is missing: give a config with a \"threshold\", or --from-results CPU.json GPU.json "
        "--parameter NAME");
  return measured_threshold(o);
}

const SubcommandRegistration threshold_command(subcommand<ThresholdOptions>(
    "threshold", "find the value from which one side is faster", declare, threshold));

}  // namespace
}  // namespace breakeven
