#include "cli/verdict_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "reports/verdicts_github.h"
#include "reports/verdicts_junit.h"
#include "reports/verdicts_markdown.h"
#include "reports/verdicts_terminal.h"

namespace breakeven {

void add_verdict_outputs(CLI::App& command, VerdictOutputs& outputs) {
  command.add_option("--out", outputs.out, "write the verdicts to this file, as JSON; - for standard output");
  command.add_option("--markdown", outputs.markdown,
                     "write a summary in Markdown, as for $GITHUB_STEP_SUMMARY; - for standard output");
  command.add_option("--junit", outputs.junit,
                     "write JUnit XML, a test case for each case and backend; - for standard output");
  command.add_option("--annotations", outputs.annotations,
                     "write GitHub's annotations, which a job shows when they are on its output: -");
  command.add_flag("--quiet", outputs.quiet, "no report in the terminal");
}

void check_verdict_outputs(const VerdictOutputs& outputs) {
  check_output_files({{"--out", outputs.out},
                      {"--markdown", outputs.markdown},
                      {"--junit", outputs.junit},
                      {"--annotations", outputs.annotations}});
}

void write_verdicts(const Verdicts& verdicts, const VerdictOutputs& outputs) {
  struct Output {
    const std::string& file;
    std::string (*text)(const Verdicts&);
  };
  const std::array all{Output{outputs.out, to_json_text}, Output{outputs.markdown, verdicts_markdown},
                       Output{outputs.junit, verdicts_junit}, Output{outputs.annotations, verdicts_github}};
  // Annotations are for what a job prints anyway, and stand among it; a file does not.
  const bool file_on_output =
      std::any_of(all.begin(), all.end() - 1, [](const Output& output) { return output.file == "-"; });
  if (!outputs.quiet && !file_on_output) std::cout << verdicts_terminal(verdicts, terminal_style());
  for (const Output& output : all) {
    if (!output.file.empty()) write_text_file(output.file, output.text(verdicts));
  }
}

}  // namespace breakeven
