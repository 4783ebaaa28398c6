// breakeven rank: result files of several machines in, an order for some work out.
#include "verdicts/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/chart_files.h"
#include "cli/named_files.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "plan/suggestion.h"
#include "reports/html_rank.h"
#include "reports/rank_charts.h"
#include "reports/rank_report.h"
#include "session/clock.h"
#include "verdicts/machines.h"
#include "version.h"

namespace breakeven {
namespace {

struct RankCommand {
  std::vector<std::filesystem::path> files;
  std::filesystem::path mix, prices, catalogue;
  std::vector<std::string> predicted;
  bool predict_missing = false;
  std::string by = "time", out, markdown, html, answers;
  ChartOptions charts;
};

void check_predicted(const RankOptions& options) {
  std::vector<std::string> known;
  for (const DeviceEntry& device : options.catalogue) known.push_back(device.name);
  for (const std::string& name : options.predicted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw CommandError(
        exit_code::bad_input,
        known.empty()
            ? "--predict needs what makers state; give it with --devices configs/devices.json"
            : fmt::format("--predict: the catalogue has no '{}'{}", name, did_you_mean(name, known)));
  }
}

int rank_files(const RankCommand& o) {
  check_output_files(
      {{"--out", o.out}, {"--markdown", o.markdown}, {"--html", o.html}, {"--answers", o.answers}});
  if (std::count(o.files.begin(), o.files.end(), "-") > 1)
    throw CommandError(exit_code::bad_input, "- is given twice, and there is one standard input; name files");
  const Quantity by = *parse_quantity(o.by);
  if (by == Quantity::cost && o.prices.empty())
    throw CommandError(exit_code::bad_input,
                       "--by cost needs prices; give them with --prices FILE (docs/ranking.md)");
  if (o.predict_missing && o.mix.empty())
    throw CommandError(
        exit_code::bad_input,
        "--predict-missing needs --mix CONFIG: without one, the work is what all have measured");
  RankOptions options;
  options.by = by;
  options.predicted = o.predicted;
  options.predict_missing = o.predict_missing;
  if (!o.mix.empty()) options.mix = read_mix(o.mix);
  if (!o.prices.empty()) options.prices = read_prices(o.prices);
  if (!o.catalogue.empty()) options.catalogue = read_device_catalogue(o.catalogue);
  check_predicted(options);
  std::vector<Result> results;
  for (const auto& file : o.files) results.push_back(read_result(file));
  std::vector<Host*> hosts;
  hosts.reserve(results.size());
  for (Result& result : results) hosts.push_back(&result.host);
  complete_identities(hosts);
  Ranking ranking = rank_results(results, options);
  ranking.created = now_utc();
  ranking.tool_version = version;
  if (!o.out.empty()) write_text_file(o.out, to_json_text(ranking));
  if (!o.markdown.empty()) write_text_file(o.markdown, rank_markdown(ranking));
  if (!o.html.empty()) write_text_file(o.html, rank_html(ranking));
  if (!o.answers.empty()) write_text_file(o.answers, rank_answers(ranking));
  if (o.charts.any()) show_charts(rank_charts(ranking), o.charts);
  if (o.out.empty() && o.markdown.empty() && o.html.empty() && o.answers.empty() && !o.charts.any())
    fmt::print("{}", rank_terminal(ranking, terminal_style()));
  return exit_status(ranking);
}

const SubcommandRegistration rank_command(
    {"rank", "put machines in order, for a mix of work, by time, energy or cost", [](CLI::App& command) {
       auto o = std::make_shared<RankCommand>();
       accept_result_names(
           command.add_option("RESULT", o->files, "result files of the machines; - for standard input"))
           ->required();
       accept_config_names(command.add_option(
           "--mix", o->mix, "a config: the work, with weights; default: the cases that all have, equally"));
       command.add_option("--prices", o->prices, "what the machines cost, as JSON; see docs/ranking.md");
       command.add_option("--predict", o->predicted,
                          "rank this device, too, though it was not measured: by what its maker states and "
                          "what others reach; "
                          "may be given several times");
       command.add_flag(
           "--predict-missing", o->predict_missing,
           "predict the cases of the mix that a machine was not measured on: by its measured ceilings, "
           "and what others reach of theirs");
       accept_config_names(
           command.add_option("--devices", o->catalogue, "what makers state: configs/devices.json"));
       command.add_option("--by", o->by, "time, energy or cost; default: time")
           ->check(CLI::IsMember(quantity_names()));
       command.add_option("--out", o->out, "the ranking as JSON; - for standard output");
       command.add_option("--markdown", o->markdown, "the same for people; - for standard output");
       command.add_option("--html", o->html, "the same for a browser; - for standard output");
       command.add_option("--answers", o->answers, "what it says, a sentence a line; - for standard output");
       declare_chart_options(command, o->charts);
       return [o] { return rank_files(*o); };
     }});

}  // namespace
}  // namespace breakeven
