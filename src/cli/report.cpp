// breakeven report: result files in, text out.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <span>

#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "plan/suggestion.h"
#include "reports/bencher.h"
#include "reports/chart_gnuplot.h"
#include "reports/charts.h"
#include "reports/csv.h"
#include "reports/github_benchmark.h"
#include "reports/google_benchmark_json.h"
#include "reports/headlines.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/tool_report.h"
#include "results/result.h"

namespace breakeven {
namespace {

/// A form that results can be written in, each with an option of its own.
struct Form {
  const char* option;
  const char* meaning;
  ToolReport (*make)(std::span<const Result>);
};

constexpr std::array<Form, 9> forms{{
    {"--answers", "what the results say, a sentence a line",
     [](std::span<const Result> results) {
       std::string text;
       for (const std::string& sentence : headlines(results)) text += sentence + "\n";
       return ToolReport{.text = text};
     }},
    {"--html", "a report for a browser",
     [](std::span<const Result> results) { return ToolReport{.text = html_report(results)}; }},
    {"--markdown", "a Markdown summary",
     [](std::span<const Result> results) { return ToolReport{.text = markdown_report(results)}; }},
    {"--csv", "a row for each case and backend",
     [](std::span<const Result> results) { return ToolReport{.text = csv_report(results)}; }},
    {"--junit", "JUnit XML, for CI systems", junit_report},
    {"--openmetrics", "OpenMetrics text, for Prometheus", openmetrics_report},
    {"--google-benchmark", "Google Benchmark's JSON, for its compare.py", google_benchmark_json_report},
    {"--bencher", "Bencher Metric Format", bencher_report},
    {"--github", "github-action-benchmark's customSmallerIsBetter", github_benchmark_report},
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

void draw(const Chart& chart, const std::string& file) {
  check_output_files({{"--chart", file}});
  std::signal(SIGPIPE, SIG_IGN);  // writing to one that is not there is an error like others
  FILE* gnuplot = popen("gnuplot", "w");
  const std::string script = gnuplot_script(chart, file);
  const bool written =
      gnuplot != nullptr && fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  const int status = gnuplot == nullptr ? -1 : pclose(gnuplot);
  if (status == 0 && written) return;
  throw CommandError(
      exit_code::bad_input,
      WIFEXITED(status) && WEXITSTATUS(status) == 127
          ? "--chart needs gnuplot, which is not here; install it (Debian: gnuplot-nox)"
          : fmt::format("--chart: gnuplot could not draw {}; what it said stands above", chart.name));
}

/// Each of "NAME=FILE".
void draw_charts(std::span<const Result> results, const std::vector<std::string>& asked) {
  if (asked.empty()) return;
  const std::vector<Chart> all = charts(results);
  std::vector<std::string> names(all.size());
  std::transform(all.begin(), all.end(), names.begin(), [](const Chart& chart) { return chart.name; });
  for (const std::string& one : asked) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals + 1 == one.size())
      throw CommandError(exit_code::bad_input,
                         fmt::format("--chart {}: name the file too, as in --chart {}=chart.svg", one,
                                     one.substr(0, equals)));
    const std::string name = one.substr(0, equals);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Chart& chart) { return chart.name == name; });
    if (found == all.end())
      throw CommandError(
          exit_code::bad_input,
          fmt::format("--chart: these results have no chart '{}'{}; --list-charts shows those they have",
                      name, did_you_mean(name, names)));
    draw(*found, one.substr(equals + 1));
  }
}

const SubcommandRegistration report_command(
    {"report", "show result files, or write them in other forms", [](CLI::App& command) {
       struct Options {
         std::vector<std::filesystem::path> files;
         std::array<std::string, forms.size()> paths;  // of the forms; empty where not asked for
         std::vector<std::string> charts;
         bool list_charts = false;
       };
       auto o = std::make_shared<Options>();
       command.add_option("RESULT", o->files, "result files; - for standard input")->required();
       for (std::size_t i = 0; i < forms.size(); ++i)
         command.add_option(forms[i].option, o->paths[i],
                            fmt::format("write {} to this file; - for standard output", forms[i].meaning));
       command.add_option(
           "--chart", o->charts,
           "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so; may be given "
           "several times; needs gnuplot");
       command.add_flag("--list-charts", o->list_charts, "the names and titles of the charts that there are");
       return [o] {
         expect_different(o->paths);
         std::vector<Result> results;
         for (const auto& file : o->files) results.push_back(read_result(file));
         bool written = o->list_charts || !o->charts.empty();
         if (o->list_charts) {
           for (const Chart& chart : charts(results)) fmt::print("{}  {}\n", chart.name, chart.title);
         }
         draw_charts(results, o->charts);
         for (std::size_t i = 0; i < forms.size(); ++i) {
           if (o->paths[i].empty()) continue;
           const ToolReport report = forms[i].make(results);
           write_text_file(o->paths[i], report.text);
           written = true;
           if (report.left_out > 0)
             fmt::print(stderr, "breakeven: {}: {} left out: this form cannot say what became of {}\n",
                        forms[i].option,
                        report.left_out == 1 ? "1 case" : fmt::format("{} cases", report.left_out),
                        report.left_out == 1 ? "it" : "them");
         }
         if (!written) {
           for (const auto& result : results) print_terminal_report(result);
         }
         return exit_code::good;
       };
     }});

}  // namespace
}  // namespace breakeven
