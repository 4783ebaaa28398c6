// breakeven report: result files in, text out.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <span>

#include "cli/chart_files.h"
#include "cli/named_files.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "reports/bencher.h"
#include "reports/charts.h"
#include "reports/csv.h"
#include "reports/github_benchmark.h"
#include "reports/google_benchmark_json.h"
#include "reports/headlines.h"
#include "reports/html_results.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/threshold_report.h"
#include "reports/tool_report.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

/// A form that results can be written in, each with an option of its own.
struct Form {
  const char* option = nullptr;
  const char* meaning = nullptr;
  ToolReport (*make)(const Measured&) = nullptr;
  bool of_thresholds = false;  // it has words for them, too
};

/// A form of results alone.
template <ToolReport (*make)(std::span<const Result>)>
ToolReport of_results(const Measured& measured) {
  return make(measured.results);
}

constexpr std::array<Form, 9> forms{{
    {"--answers", "what the results say, a sentence a line",
     [](const Measured& measured) {
       return ToolReport{.text = answers_text(measured.results, measured.thresholds)};
     },
     true},
    {"--html", "a report for a browser",
     [](const Measured& measured) { return ToolReport{.text = html_report(measured)}; }, true},
    {"--markdown", "a Markdown summary",
     [](const Measured& measured) {
       ToolReport made;
       if (!measured.results.empty()) made.text = markdown_report(measured.results);
       for (const Threshold& threshold : measured.thresholds)
         made.text += (made.text.empty() ? "" : "\n") + threshold_markdown(threshold);
       return made;
     },
     true},
    {"--csv", "a row for each case and backend",
     [](const Measured& measured) { return ToolReport{.text = csv_report(measured.results)}; }},
    {"--junit", "JUnit XML, for CI systems", of_results<junit_report>},
    {"--openmetrics", "OpenMetrics text, for Prometheus", of_results<openmetrics_report>},
    {"--google-benchmark", "Google Benchmark's JSON, for its compare.py",
     of_results<google_benchmark_json_report>},
    {"--bencher", "Bencher Metric Format", of_results<bencher_report>},
    {"--github", "github-action-benchmark's customSmallerIsBetter", of_results<github_benchmark_report>},
}};

/// Two reports in one file would be neither.
void expect_different(const std::array<std::string, forms.size()>& paths) {
  std::map<std::string, const char*> taken;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (paths[i].empty()) continue;
    const auto [first, fresh] = taken.emplace(paths[i], forms[i].option);
    if (!fresh)
      throw CommandError(
          exit_code::bad_input,
          fmt::format("{} and {} would both write to {}; give each a file of its own", first->second,
                      forms[i].option, paths[i] == "-" ? "standard output" : paths[i]));
  }
}

const SubcommandRegistration report_command(
    {"report", "show result files, or write them in other forms", [](CLI::App& command) {
       struct Options {
         std::vector<std::filesystem::path> files;
         std::array<std::string, forms.size()> paths;  // of the forms; empty where not asked for
         ChartOptions charts;
       };
       auto o = std::make_shared<Options>();
       accept_result_names(
           command.add_option(
               "RESULT", o->files,
               "result files, by path or name, and what `threshold` wrote; - for standard input"))
           ->required();
       for (std::size_t i = 0; i < forms.size(); ++i)
         command.add_option(forms[i].option, o->paths[i],
                            fmt::format("write {} to this file; - for standard output", forms[i].meaning));
       declare_chart_options(command, o->charts);
       return [o] {
         expect_different(o->paths);
         const Measured measured = read_measured(o->files);
         bool written = o->charts.any();
         if (written) show_charts(charts(measured.results, measured.thresholds), o->charts);
         for (std::size_t i = 0; i < forms.size(); ++i) {
           if (o->paths[i].empty()) continue;
           const ToolReport report = forms[i].make(measured);
           write_text_file(o->paths[i], report.text);
           written = true;
           if (report.left_out > 0)
             fmt::print(stderr, "breakeven: {}: {} left out: this form cannot say what became of {}\n",
                        forms[i].option,
                        report.left_out == 1 ? "1 case" : fmt::format("{} cases", report.left_out),
                        report.left_out == 1 ? "it" : "them");
           if (!forms[i].of_thresholds && !measured.thresholds.empty())
             fmt::print(stderr,
                        "breakeven: {}: {} left out: this form has results of `breakeven run` alone\n",
                        forms[i].option,
                        measured.thresholds.size() == 1
                            ? "1 threshold file"
                            : fmt::format("{} threshold files", measured.thresholds.size()));
         }
         if (!written) {
           for (const auto& result : measured.results) print_terminal_report(result);
           for (const auto& threshold : measured.thresholds)
             fmt::print("{}", threshold_terminal(threshold, terminal_style()));
         }
         return exit_code::good;
       };
     }});

}  // namespace
}  // namespace breakeven
