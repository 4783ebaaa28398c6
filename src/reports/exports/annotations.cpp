// --annotations: verdicts, or what a check of a history found, as annotations of a GitHub Actions job. They
// are workflow commands, one per line, for a step's standard output.
//
// `::error` for slower, wrong, incomparable or missing cases, `::warning` for inconclusive ones and those
// that a history suspects. At most ten, because GitHub shows no more for one step: if there are more
// findings, the tenth gives the number of the rest. No output if all is well.
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "reports/document/builders.h"
#include "reports/document/verdict_findings.h"
#include "reports/exports/history_findings.h"
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

struct Annotation {
  std::string_view level;
  std::string title, message;
};

std::string line_of(const Annotation& annotation) {
  return fmt::format("::{} title={}::{}\n", annotation.level, command_text(annotation.title, "%\r\n:,"),
                     command_text(annotation.message, "%\r\n"));
}

/// The annotations, given the worst first. `in_short` is the message of those that are left out.
FormattedReport annotations_text(const std::vector<Annotation>& all, const std::string& in_short) {
  const bool too_many = all.size() > most_annotations;
  const std::size_t shown = too_many ? most_annotations - 1 : all.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += line_of(all[i]);
  if (too_many)
    text += line_of({.level = all[shown].level,
                     .title = fmt::format("and {} more", all.size() - shown),
                     .message = in_short});
  return {.text = text};
}

FormattedReport verdict_annotations(const Verdicts& verdicts) {
  std::vector<Annotation> all;
  for (const CaseVerdict* c : worst_first(verdicts)) {
    const FindingKind kind = finding_kind(*c);
    if (kind > FindingKind::inconclusive) continue;
    all.push_back(
        {.level = kind == FindingKind::inconclusive ? "warning" : "error",
         .title = fmt::format("{} {}", name(kind), describe_change(*c)),
         .message = joined_known(
             {describe_case(*c), describe_times(*c), describe_details(*c), describe_notes(*c)}, "; ")});
  }
  return annotations_text(all, headline(verdicts));
}

FormattedReport history_annotations(const CheckedHistory& checked) {
  const std::vector<HistoryFinding> findings = history_findings(checked.check);
  std::vector<Annotation> all(findings.size());
  std::ranges::transform(findings, all.begin(), [](const HistoryFinding& finding) {
    return Annotation{.level = finding.fails ? "error" : "warning",
                      .title = joined_known({finding.kind, finding.change}, " "),
                      .message = finding.text};
  });
  return annotations_text(all, document_of(checked).title);
}

const FormatRegistration annotations_format(
    {.option = "--annotations",
     .meaning = "annotations for GitHub Actions, which shows those on the output of a job",
     .beside_the_report = true,
     .writes = {verdict_annotations, history_annotations}});

}  // namespace
}  // namespace breakeven
