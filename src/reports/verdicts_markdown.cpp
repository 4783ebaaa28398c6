#include "reports/verdicts_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/comparison.h"
#include "reports/render/markdown_text.h"
#include "reports/text.h"
#include "reports/document/numbers.h"
#include "reports/verdict_findings.h"

namespace breakeven {
namespace {

/// GitHub refuses a job summary above 1 MiB. The rest is for what is below the table.
constexpr std::size_t largest_table = 900'000;

/// Of one place, which escaping makes at most nine times as long.
std::string cell(std::string_view text) {
  constexpr std::size_t widest = 400;
  return markdown_text(shorten(printable(text), widest));
}

std::string finding_row(const CaseVerdict& c) {
  const FindingKind kind = finding_kind(c);
  const bool bad = kind == FindingKind::slower || kind == FindingKind::wrong;
  return markdown_row({fmt::format("{0}{1}{0}", bad ? "**" : "", name(kind)), cell(describe_change(c)),
                       cell(describe_case(c)), cell(describe_times(c)), cell(describe_details(c))});
}

std::string table(const Verdicts& verdicts) {
  const auto findings = worst_first(verdicts);
  if (findings.empty()) return "";
  std::string text = "\n| verdict | change | case | median time | |\n|---|---:|---|---|---|\n";
  std::size_t shown = 0;
  for (; shown < findings.size(); ++shown) {
    const std::string row = finding_row(*findings[shown]);
    if (text.size() + row.size() > largest_table) break;
    text += row;
  }
  if (shown < findings.size()) {
    text += fmt::format(
        "\n{} more findings, none of them worse, did not fit: the file that `--out` writes has them.\n",
        findings.size() - shown);
  }
  return text;
}

}  // namespace

std::string verdicts_markdown(const Verdicts& verdicts) {
  std::string text = fmt::format("# {}\n\n", headline(verdicts));
  text += fmt::format("{} → {}", cell(describe_side(verdicts.base)), cell(describe_side(verdicts.head)));
  const std::string machine = describe_host(verdicts.host);
  if (!verdicts.host.name.empty() || !machine.empty())
    text += fmt::format(", {} {}", cell(verdicts.host.name), cell(machine));
  text += '\n';
  if (!verdicts.complete) text += "\n**Incomplete**: it ended before every case was decided.\n";
  const auto& warnings = verdicts.warnings;
  if (!warnings.empty()) text += '\n';
  for (std::size_t i = 0; i < warnings.size() && i < most_warnings_shown; ++i)
    text += fmt::format("- **warning**: {}\n", cell(warnings[i]));
  if (warnings.size() > most_warnings_shown)
    text += fmt::format("- and {} more warnings\n", warnings.size() - most_warnings_shown);
  text += table(verdicts);
  text += fmt::format("\nA change of less than {} does not matter here (`--threshold`).{}{}\n",
                      format_percent(verdicts.threshold), verdicts.method.empty() ? "" : " ",
                      cell(verdicts.method));
  return text;
}

}  // namespace breakeven
