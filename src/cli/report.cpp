// breakeven report: result files in, text out.
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <span>

#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "reports/bencher.h"
#include "reports/csv.h"
#include "reports/github_benchmark.h"
#include "reports/google_benchmark_json.h"
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

constexpr std::array<Form, 7> forms{{
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

const SubcommandRegistration report_command(
    {"report", "show result files, or write them in other forms", [](CLI::App& command) {
       struct Options {
         std::vector<std::filesystem::path> files;
         std::array<std::string, forms.size()> paths;  // of the forms; empty where not asked for
       };
       auto o = std::make_shared<Options>();
       command.add_option("RESULT", o->files, "result files; - for standard input")->required();
       for (std::size_t i = 0; i < forms.size(); ++i)
         command.add_option(forms[i].option, o->paths[i],
                            fmt::format("write {} to this file; - for standard output", forms[i].meaning));
       return [o] {
         expect_different(o->paths);
         std::vector<Result> results;
         for (const auto& file : o->files) results.push_back(read_result(file));
         bool written = false;
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
