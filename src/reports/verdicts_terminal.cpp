#include "reports/verdicts_terminal.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "reports/comparison.h"
#include "reports/text.h"
#include "reports/units.h"
#include "reports/verdict_findings.h"

namespace breakeven {
namespace {

/// More than anybody reads; files have all of them.
constexpr std::size_t most_findings = 200;

std::string_view kind_colour(FindingKind kind) {
  switch (kind) {
    case FindingKind::slower:
    case FindingKind::wrong:
    case FindingKind::missing:
      return colour::red;
    case FindingKind::incomparable:
    case FindingKind::inconclusive:
      return colour::yellow;
    case FindingKind::not_slower:
    case FindingKind::faster:
    case FindingKind::same:
      return colour::green;
    case FindingKind::added:
    case FindingKind::unsupported:
      return colour::dim;
  }
  return colour::none;
}

std::string_view overall_colour(const Verdicts& verdicts) {
  switch (exit_status(verdicts)) {
    case 0:
      return colour::best;
    case 1:
      return colour::red;
    default:
      return colour::yellow;
  }
}

void write_finding(Page& page, const CaseVerdict& c) {
  const FindingKind kind = finding_kind(c);
  std::vector<std::string> parts;
  for (std::string part : {describe_change(c), describe_case(c), describe_times(c), describe_details(c)}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  page.item(fmt::format("{}:", name(kind)), kind_colour(kind), fmt::format("{}", fmt::join(parts, "; ")));
}

}  // namespace

std::string verdicts_terminal(const Verdicts& verdicts, const TerminalStyle& style) {
  Page page(style);
  page.paragraph(headline(verdicts), overall_colour(verdicts), 2, 4);
  page.paragraph(fmt::format("{} → {}", describe_side(verdicts.base), describe_side(verdicts.head)),
                 colour::dim, 2, 4);
  const std::string machine = describe_host(verdicts.host);
  std::string where = printable(verdicts.host.name);
  if (!machine.empty()) where += (where.empty() ? "" : ": ") + machine;
  if (!where.empty()) page.paragraph(where, colour::dim, 2, 3);
  const auto findings = worst_first(verdicts);
  for (std::size_t i = 0; i < findings.size() && i < most_findings; ++i) write_finding(page, *findings[i]);
  if (findings.size() > most_findings) {
    page.item("", colour::none,
              fmt::format("and {} more, none of them worse; --out and --markdown write them to files",
                          findings.size() - most_findings));
  }
  if (!verdicts.complete) page.item("incomplete:", colour::yellow, "it ended before every case was decided");
  const auto& warnings = verdicts.warnings;
  for (std::size_t i = 0; i < warnings.size() && i < most_warnings_shown; ++i)
    page.item("warning:", colour::yellow, printable(warnings[i]));
  if (warnings.size() > most_warnings_shown)
    page.item("", colour::none, fmt::format("and {} more warnings", warnings.size() - most_warnings_shown));
  for (const std::string& note : verdicts.notes) page.paragraph(printable(note), colour::dim, 2, 4);
  page.paragraph(fmt::format("A change of less than {} does not matter here (--threshold). {}",
                             format_percent(verdicts.threshold), printable(verdicts.method)),
                 colour::dim, 2, 8);
  return page.take();
}

}  // namespace breakeven
