// breakeven rank: ranks several machines for some work from their result files.
#include "rank/rank.h"

#include <algorithm>
#include <filesystem>

#include "cli/chart_files.h"
#include "cli/labels.h"
#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "plan/config.h"
#include "plan/suggestion.h"
#include "reports/charts/ranking_charts.h"
#include "reports/document/builders.h"
#include "reports/document/numbers.h"
#include "reports/words/rank_words.h"
#include "session/environment.h"
#include "verdicts/transfers.h"
#include "version.h"

namespace breakeven {
namespace {

struct RankCommand {
  std::vector<std::filesystem::path> files;
  std::filesystem::path mix, prices, catalogue;
  std::vector<std::string> predicted;
  bool predict_missing = false;
  std::string by = "time";
  double use = 1;
  double p99 = 0;
  std::vector<std::string> labels;
  Outputs outputs;
  ChartOptions charts;
};

void check_predicted(const RankOptions& options) {
  const std::vector<std::string> known = names_in(options.catalogue);
  for (const std::string& name : options.predicted) {
    if (std::ranges::find(known, name) != known.end()) continue;
    if (known.empty())
      throw CommandError("--predict needs datasheets; give them with --devices configs/devices.json");
    throw CommandError("--predict: the catalogue has no '{}'{}", name, did_you_mean(name, known));
  }
}

/// Makes results that exceed the limit of latency count as not answered in time.
void refuse_late_answers(std::vector<Result>& results, double p99) {
  expect_latencies(results);
  for (Result& result : results) {
    for (CaseResult& c : result.cases) {
      if (c.op == "infer" && c.has_time() && !c.latency) {
        c.status = Status::unsupported;
        c.reason = "its latency is not known";
      }
      if (!c.latency || !(c.latency->p99 > p99)) continue;
      c.status = Status::timed_out;
      c.reason = fmt::format("99 % of calls are answered within {}, and the limit is {}",
                             format_seconds(c.latency->p99), format_seconds(p99));
    }
  }
}

int rank_files(const RankCommand& o) {
  std::vector<std::filesystem::path> inputs = o.files;
  inputs.insert(inputs.end(), {o.prices, o.catalogue});
  if (!o.mix.empty()) {
    const auto mix = files_of_configs({o.mix});
    inputs.insert(inputs.end(), mix.begin(), mix.end());
  }
  o.outputs.check(inputs, o.charts);
  check_one_standard_input(o.files);
  const Metric by = *parse_name<Metric>(o.by);
  if (by == Metric::cost && o.prices.empty())
    throw CommandError("--by cost needs prices; give them with --prices FILE (docs/ranking.md)");
  if (o.use < 1 && o.prices.empty())
    throw CommandError("--use needs prices; give them with --prices FILE (docs/ranking.md)");
  if (o.predict_missing && o.mix.empty())
    throw CommandError(
        "--predict-missing needs --mix CONFIG: without one, the work is the cases that all "
        "machines have measured");
  if (o.p99 > 0 && o.mix.empty())
    throw CommandError(
        "--p99 needs --mix CONFIG: without one, the work is what all machines have a time for");
  RankOptions options;
  options.by = by;
  options.use = o.use;
  options.predicted = o.predicted;
  options.predict_missing = o.predict_missing;
  if (!o.mix.empty()) options.mix = read_mix(o.mix);
  if (!o.prices.empty()) options.prices = read_prices(o.prices);
  if (!o.catalogue.empty()) options.catalogue = read_device_catalogue(o.catalogue);
  check_predicted(options);
  Measured measured = read_measured(o.files, results_alone, parse_labels(o.labels));
  tell_skipped(measured);
  if (const auto mixed = mixed_caches(measured.results)) throw CommandError("{}", mixed_caches_text(*mixed));
  std::set<std::string> wanted = ids_on_gpus(measured.results);
  if (options.mix) wanted.merge(ids_of(*options.mix));
  add_cases_of_processors(measured.results, wanted);
  if (o.p99 > 0) refuse_late_answers(measured.results, o.p99);
  Rankings rankings = rank_by_work(measured.results, options);
  if (rankings.unknown_machine)
    throw CommandError("{}: {}", o.prices.string(), unknown_machine_text(*rankings.unknown_machine));
  rankings.created = now_utc();
  rankings.tool_version = version;
  o.outputs.write(&rankings);
  if (o.charts.any()) show_charts(rank_charts(rankings), o.charts);
  if (!o.outputs.any() && !o.charts.any()) print_document(document_of(rankings), true);
  return exit_status(rankings);
}

const SubcommandRegistration rank_command(subcommand<RankCommand>(
    "rank", "rank machines for a mix of work, by time, energy or cost",
    [](CLI::App& command, RankCommand& o) {
      declare_statuses(command, {{exit_code::good, "ranked"},
                                 {exit_code::incomplete,
                                  "fewer than two machines could be ranked, or none has a time for a part "
                                  "of the work"}});
      declare_result_files(command, o.files,
                           "result files of the machines; other kinds of files are skipped");
      accept_config_names(command.add_option("--mix", o.mix,
                                             "a config that names the work, with weights; default: the cases "
                                             "that machines share, by kind of work"));
      command.add_option("--prices", o.prices, "what the machines cost, as JSON; see docs/ranking.md");
      take_one_word(
          command.add_option("--predict", o.predicted,
                             "also rank this device of --devices, which was not measured: predicted from its "
                             "datasheet and what measured devices reach; may be given several times"));
      command.add_flag(
          "--predict-missing", o.predict_missing,
          "predict the cases of the mix that were not measured on a machine, from its measured ceilings "
          "and what other machines reach of theirs");
      accept_config_names(
          command.add_option("--devices", o.catalogue, "datasheets of devices: configs/devices.json"));
      command.add_option("--by", o.by, "time, energy or cost; default: time")
          ->check(CLI::IsMember(all_names<Metric>()));
      command
          .add_option("--use", o.use,
                      "the share of the hours paid in which a machine works, for costs; default: 100%")
          ->transform(percent());
      add_p99_option(
          command, o.p99,
          "leave out machines that answer a case of the mix later than this in 1 % of calls, as 5ms");
      o.outputs.declare(command, formats_for<Rankings>());
      declare_label_option(command, o.labels);
      declare_chart_options(command, o.charts);
    },
    rank_files));

}  // namespace
}  // namespace breakeven
