// breakeven compare: two result files in, a verdict for each case out.
#include "verdicts/compare.h"

#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <memory>

#include "cli/named_files.h"
#include "cli/percent.h"
#include "cli/subcommand.h"
#include "cli/verdict_outputs.h"
#include "results/google_benchmark.h"
#include "session/clock.h"

namespace breakeven {
namespace {

struct CompareCommand {
  std::filesystem::path base, head;
  CompareOptions options;
  std::vector<std::string> allowed;
  VerdictOutputs outputs;
};

int compare_files(CompareCommand o) {
  if (o.base == "-" && o.head == "-") {
    throw CommandError(exit_code::bad_input,
                       "BASE and HEAD are both -, and there is one standard input; name a file");
  }
  check_verdict_outputs(o.outputs);
  for (const std::string& name : o.allowed) o.options.allowed.insert(*parse_difference(name));
  // Reading takes nearly all of the time.
  auto reading = std::async(std::launch::async, read_any_result, o.head);
  const Result base = read_any_result(o.base);
  const Result head = reading.get();
  Verdicts verdicts = compare_results(base, head, o.options);
  verdicts.base.source = o.base == "-" ? "standard input" : o.base.string();
  verdicts.head.source = o.head == "-" ? "standard input" : o.head.string();
  verdicts.created = now_utc();
  write_verdicts(verdicts, o.outputs);
  return exit_status(verdicts);
}

const SubcommandRegistration compare_command(
    {"compare", "compare two result files, case by case", [](CLI::App& command) {
       auto o = std::make_shared<CompareCommand>();
       accept_result_names(
           command.add_option("BASE", o->base,
                              "result file, or Google Benchmark's JSON; - for standard input"))
           ->required();
       accept_result_names(command.add_option("HEAD", o->head, "likewise, of what is to be judged"))
           ->required();
       command
           .add_option("--threshold", o->options.threshold,
                       "the smallest change that matters, as in 3% or 0.03; default: 3%")
           ->transform(percent());
       command
           .add_option("--allow", o->allowed,
                       "compare although this differs; may be given several times, or as a,b")
           ->delimiter(',')
           ->check(CLI::IsMember(difference_names()));
       add_verdict_outputs(command, o->outputs);
       return [o] { return compare_files(*o); };
     }});

}  // namespace
}  // namespace breakeven
