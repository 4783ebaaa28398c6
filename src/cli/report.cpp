// breakeven report: result files in, text out.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "reports/csv.h"
#include "reports/markdown.h"
#include "results/result.h"

namespace breakeven {
namespace {

void write_report(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw CommandError(exit_code::bad_input, fmt::format("{}: cannot be written", path));
}

const SubcommandRegistration report_command(
    {"report", "show result files, or write them in other forms", [](CLI::App& command) {
       struct Options {
         std::vector<std::filesystem::path> files;
         std::string markdown, csv;
       };
       auto o = std::make_shared<Options>();
       command.add_option("RESULT", o->files, "result files; - for standard input")->required();
       command.add_option("--markdown", o->markdown,
                          "write a Markdown summary to this file; - for standard output");
       command.add_option("--csv", o->csv,
                          "write a row for each case and backend to this file; - for standard output");
       return [o] {
         std::vector<Result> results;
         for (const auto& file : o->files) results.push_back(read_result(file));
         if (!o->markdown.empty()) write_report(o->markdown, markdown_report(results));
         if (!o->csv.empty()) write_report(o->csv, csv_report(results));
         if (o->markdown.empty() && o->csv.empty()) {
           for (const auto& result : results) print_terminal_report(result);
         }
         return exit_code::good;
       };
     }});

}  // namespace
}  // namespace breakeven
