#include "cli/verdict_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <utility>

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
  const std::array options{std::pair("--out", outputs.out), std::pair("--markdown", outputs.markdown),
                           std::pair("--junit", outputs.junit),
                           std::pair("--annotations", outputs.annotations)};
  std::map<std::string, const char*> taken;
  for (const auto& [option, path] : options) {
    if (path.empty()) continue;
    const auto [other, fresh] = taken.emplace(path, option);
    if (!fresh) {
      throw CommandError(
          exit_code::bad_input,
          fmt::format("{} {}: {} is written there already; give another file", option, path, other->second));
    }
    if (path != "-" && !std::ofstream(path, std::ios::app)) {
      throw CommandError(exit_code::bad_input,
                         fmt::format("{} {}: cannot be written: {}", option, path, std::strerror(errno)));
    }
  }
}

void VerdictSaver::save(const Verdicts& verdicts) {
  constexpr std::chrono::seconds pause{5};
  const auto now = std::chrono::steady_clock::now();
  std::error_code error;
  if (out_.empty() || !std::filesystem::is_regular_file(out_, error)) return;
  if (last_ && now - *last_ < pause) return;
  last_ = now;
  try {
    write_text_file(out_ + ".part", to_json_text(verdicts));
    std::filesystem::rename(out_ + ".part", out_, error);
  } catch (const std::exception&) {
    std::filesystem::remove(out_ + ".part", error);
  }
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
