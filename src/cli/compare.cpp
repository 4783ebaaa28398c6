// breakeven compare: compares two result files and prints a verdict for each case.
#include "verdicts/compare.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "reports/document/builders.h"
#include "results/google_benchmark.h"
#include "results/reading.h"
#include "session/environment.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

struct CompareCommand {
  std::filesystem::path base, head;
  CompareOptions options;
  std::vector<std::string> allowed;
  std::string fail_on = "inconclusive";
  Outputs outputs;
  bool quiet = false;
};

/// Without the sources and the time. The results, which are larger, are freed.
Verdicts compare_files_as_read(const std::filesystem::path& base, const std::filesystem::path& head,
                               const CompareOptions& options) {
  std::vector<Result> results;
  read_ahead(
      std::array{base, head},
      [](const std::filesystem::path& file) { return read_any_result(file, Detail::figures); },
      [&](const std::filesystem::path& /*file*/, Result result) { results.push_back(std::move(result)); });
  std::ranges::for_each(results, mark_implausible_as_read);
  return compare_results(std::move(results[0]), std::move(results[1]), options);
}

int compare_files(const CompareCommand& o) {
  if (o.base == "-" && o.head == "-") {
    throw CommandError("BASE and HEAD are both -, but there is only one standard input; name a file");
  }
  o.outputs.check({o.base, o.head});
  CompareOptions options = o.options;
  for (const std::string& name : o.allowed) options.allowed.insert(*parse_name<Difference>(name));
  Verdicts verdicts = compare_files_as_read(o.base, o.head, options);
  verdicts.base.source = o.base == "-" ? "standard input" : o.base.string();
  verdicts.head.source = o.head == "-" ? "standard input" : o.head.string();
  verdicts.created = now_utc();
  if (!o.quiet && !o.outputs.replace_the_report()) print_document(document_of(verdicts), true);
  o.outputs.write(&verdicts, o.quiet);
  return exit_status(verdicts, *parse_name<FailOn>(o.fail_on));
}

const SubcommandRegistration compare_command(subcommand<CompareCommand>(
    "compare", "compare two result files, case by case",
    [](CLI::App& command, CompareCommand& o) {
      declare_statuses(command, statuses_of_comparison());
      accept_result_names(
          command.add_option("BASE", o.base, "result file, or Google Benchmark's JSON; - for standard input"))
          ->required();
      accept_result_names(command.add_option("HEAD", o.head, "the same, of the change that is tested"))
          ->required();
      add_threshold_option(command, o.options.threshold, "the smallest change that matters");
      add_fail_on_option(command, o.fail_on);
      take_one_word(command.add_option("--allow", o.allowed,
                                       "compare although this differs; may be repeated, or given as a,b"))
          ->delimiter(',')
          ->check(CLI::IsMember(all_names<Difference>()));
      o.outputs.declare(command, formats_for<Verdicts>());
      command.add_flag("--quiet", o.quiet, "no report in the terminal");
    },
    compare_files));

}  // namespace
}  // namespace breakeven
