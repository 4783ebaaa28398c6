// breakeven report: prints reports of result files.
#include "cli/chart_files.h"
#include "cli/labels.h"
#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "reports/charts/result_charts.h"
#include "reports/document/builders.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

struct ReportCommand {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> labels;
  std::string asks;
  double p99 = 0;
  Outputs outputs;
  ChartOptions charts;
};

/// The reports in the files: one of all results and thresholds, and one for each file of verdicts.
std::vector<Subject> subjects_of(const Measured& measured) {
  std::vector<Subject> subjects;
  if (!measured.results.empty() || !measured.thresholds.empty()) subjects.emplace_back(&measured);
  for (const Verdicts& verdicts : measured.verdicts) subjects.emplace_back(&verdicts);
  return subjects;
}

int report(const ReportCommand& o) {
  check_one_standard_input(o.files);
  o.outputs.check(o.files, o.charts);
  Measured measured = read_measured(o.files, what_reports_show, parse_labels(o.labels));
  measured.asks = parse_name<Focus>(o.asks);
  if (o.p99 > 0) {
    measured.p99 = o.p99;
    expect_latencies(measured.results);
  }
  tell_skipped(measured);
  const std::vector<Subject> subjects = subjects_of(measured);
  o.outputs.write(subjects);
  if (o.charts.any()) show_charts(charts(measured.results, measured.thresholds), o.charts);
  if (o.outputs.any() || o.charts.any()) return exit_code::good;
  for (const Subject& subject : subjects) {
    const bool decides = std::holds_alternative<const Verdicts*>(subject);
    print_document(std::visit([](const auto* of) { return text_document_of(*of); }, subject), decides);
  }
  return exit_code::good;
}

const SubcommandRegistration report_command(subcommand<ReportCommand>(
    "report", "show result files, or write them in other forms",
    [](CLI::App& command, ReportCommand& o) {
      declare_statuses(command, {{exit_code::good, "the report was written, whatever the results are"}});
      declare_result_files(command, o.files,
                           "result files, by path or name, and what `threshold`, `gate` and `compare` wrote; "
                           "other kinds of files are skipped");
      o.outputs.declare(command, formats_for<Measured, Verdicts>());
      declare_label_option(command, o.labels);
      command
          .add_option(
              "--asks", o.asks,
              "the topic that the answer begins with, instead of that of the config (docs/configs.md)")
          ->check(CLI::IsMember(all_names<Focus>()));
      add_p99_option(command, o.p99, largest_batch_meaning);
      declare_chart_options(command, o.charts);
    },
    report));

}  // namespace
}  // namespace breakeven
