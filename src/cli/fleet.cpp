// breakeven fleet: finds the nodes that are slower than the others of their kind.
#include "verdicts/fleet.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "reports/document/builders.h"
#include "results/reading.h"
#include "text/printable.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

struct FleetCommand {
  std::vector<std::filesystem::path> files;
  Outputs outputs;
  double threshold = FleetOptions{}.threshold;
};

int judge_files(const FleetCommand& o) {
  check_one_standard_input(o.files);
  o.outputs.check(o.files);
  std::vector<Result> results;
  std::vector<std::string> names;
  for (const auto& file : o.files) {
    if (std::ranges::count(o.files, file) > 1)
      throw CommandError("{}: is given twice, and each file is a run", printable(file.string()));
  }
  read_ahead(
      o.files, [](const std::filesystem::path& file) { return read_result(file, Detail::figures); },
      [&](const std::filesystem::path& file, Result result) {
        mark_implausible_as_read(results.emplace_back(std::move(result)));
        names.push_back(file == "-" ? "standard input" : file.string());
      });
  const Fleet fleet = judge_fleet(results, names, {.threshold = o.threshold});
  o.outputs.write(&fleet);
  if (!o.outputs.replace_the_report()) print_document(document_of(fleet), true);
  return exit_status(fleet);
}

const SubcommandRegistration fleet_command(subcommand<FleetCommand>(
    "fleet", "find the nodes that are slower than the others of their kind",
    [](CLI::App& command, FleetCommand& o) {
      declare_statuses(command,
                       {{exit_code::good, "no node was found to be slower"},
                        {exit_code::wrong_or_regressed, "a node is slower, or has a wrong result"},
                        {exit_code::inconclusive, "a node is probably slower"},
                        {exit_code::incomplete, "a node, or a case of a node, could not be compared"}});
      declare_result_files(command, o.files,
                           "result files of the nodes, all of one config; several of one node are its runs");
      add_threshold_option(command, o.threshold, "the smallest difference that matters");
      o.outputs.declare(command, formats_for<Fleet>());
    },
    judge_files));

}  // namespace
}  // namespace breakeven
