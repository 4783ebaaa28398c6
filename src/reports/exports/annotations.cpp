// --annotations: verdicts as annotations of a GitHub Actions job. They are workflow commands, one per line,
// for a step's standard output.
//
// `::error` for slower, wrong, incomparable or missing cases, `::warning` for inconclusive ones. At most ten,
// because GitHub shows no more for one step: if there are more findings, the tenth gives the number of the
// rest. No output if all is well.
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "reports/document/verdict_findings.h"
#include "reports/exports/named_cases.h"
#include "reports/text.h"

namespace breakeven {
namespace {

constexpr std::size_t most_annotations = 10;

/// Escapes text as the runner's toolkit does (@actions/core, command.ts), with `reserved` characters as %XX.
/// The runner also executes commands of the older form, `##[`, inside the text.
std::string command_text(std::string_view text, std::string_view reserved) {
  constexpr std::size_t widest = 1000;  // a longer text is not readable
  std::string escaped;
  for (const char c : without_ci_commands(shorten(printable(text), widest)))
    escaped += reserved.find(c) == std::string_view::npos ? std::string(1, c) : fmt::format("%{:02X}", c);
  return escaped;
}

std::string annotation(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level, command_text(title, "%\r\n:,"),
                     command_text(message, "%\r\n"));
}

std::string_view annotation_level(const CaseVerdict& c) {
  return finding_kind(c) == FindingKind::inconclusive ? "warning" : "error";
}

FormattedReport verdict_annotations(const Verdicts& verdicts) {
  std::vector<const CaseVerdict*> problems = worst_first(verdicts);
  std::erase_if(problems, [](const CaseVerdict* c) { return finding_kind(*c) > FindingKind::inconclusive; });
  const bool too_many = problems.size() > most_annotations;
  const std::size_t shown = too_many ? most_annotations - 1 : problems.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const CaseVerdict& c = *problems[i];
    text += annotation(
        annotation_level(c), fmt::format("{} {}", name(finding_kind(c)), describe_change(c)),
        joined_known({describe_case(c), describe_times(c), describe_details(c), describe_notes(c)}, "; "));
  }
  if (too_many) {
    text += annotation(annotation_level(*problems[shown]),
                       fmt::format("and {} more", problems.size() - shown), headline(verdicts));
  }
  return {.text = text};
}

const FormatRegistration annotations_format(
    {.option = "--annotations",
     .meaning = "annotations for GitHub Actions, which shows those on the output of a job",
     .beside_the_report = true,
     .writes = {verdict_annotations}});

}  // namespace
}  // namespace breakeven
