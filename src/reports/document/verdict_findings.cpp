#include "reports/document/verdict_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "reports/document/descriptions.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "verdicts/decision.h"

namespace breakeven {
namespace {

constexpr std::array<std::string_view, 10> kind_names{"wrong",        "incomparable", "missing", "slower",
                                                      "inconclusive", "not slower",   "faster",  "new",
                                                      "the same",     "unsupported"};

bool is_wrong(Status status) {
  return status == Status::wrong || status == Status::implausible;
}

/// Head over base, as well as it is known.
std::optional<double> change(const CaseVerdict& c) {
  if (c.ratio) return c.ratio->value;
  if (c.base_seconds && c.head_seconds) return *c.head_seconds / *c.base_seconds;
  return std::nullopt;
}

}  // namespace

FindingKind finding_kind(const CaseVerdict& c) {
  if (c.presence != Presence::only_base && is_wrong(c.head_status)) return FindingKind::wrong;
  if (c.presence == Presence::only_base) return FindingKind::missing;
  if (c.presence == Presence::only_head) {
    if (c.head_status == Status::unsupported) return FindingKind::unsupported;
    return c.head_status == Status::ok ? FindingKind::added : FindingKind::incomparable;
  }
  switch (c.verdict) {
    case Verdict::same:
      return FindingKind::same;
    case Verdict::slower:
      return FindingKind::slower;
    case Verdict::faster:
      return FindingKind::faster;
    case Verdict::inconclusive:
      return c.not_slower ? FindingKind::not_slower : FindingKind::inconclusive;
    case Verdict::incomparable:
      break;
  }
  return c.base_status == Status::unsupported && c.head_status == Status::unsupported
             ? FindingKind::unsupported
             : FindingKind::incomparable;
}

std::string_view name(FindingKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

std::vector<const CaseVerdict*> worst_first(const Verdicts& verdicts) {
  struct Ranked {
    FindingKind kind;
    double rank;
    const CaseVerdict* of;
  };
  std::vector<Ranked> ranked;
  for (const CaseVerdict& c : verdicts.cases) {
    const FindingKind kind = finding_kind(c);
    if (kind == FindingKind::same || kind == FindingKind::unsupported) continue;
    const double ratio = change(c).value_or(0);
    ranked.push_back({.kind = kind, .rank = kind == FindingKind::faster ? ratio : -ratio, .of = &c});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.rank < b.rank;
  });
  std::vector<const CaseVerdict*> cases;
  cases.reserve(ranked.size());
  for (const Ranked& r : ranked) cases.push_back(r.of);
  return cases;
}

std::string headline(const Verdicts& verdicts) {
  std::array<std::size_t, kind_names.size()> counts{};
  for (const CaseVerdict& c : verdicts.cases) ++counts.at(static_cast<std::size_t>(finding_kind(c)));
  const auto count = [&](FindingKind kind) { return counts.at(static_cast<std::size_t>(kind)); };
  const std::size_t all = verdicts.cases.size();
  if (all == 0) return "No case was compared.";
  const std::string cases = counted_text(all, "case", "cases");
  const auto is_are = [](std::size_t n) { return n == 1 ? "is" : "are"; };
  std::vector<std::string> bad;
  if (const std::size_t wrong = count(FindingKind::wrong); wrong > 0)
    bad.push_back(
        fmt::format("{} of {} {} wrong results", wrong, cases, wrong == 1 ? "computes" : "compute"));
  if (const std::size_t slower = count(FindingKind::slower); slower > 0)
    bad.push_back(bad.empty() ? fmt::format("{} of {} {} slower", slower, cases, is_are(slower))
                              : fmt::format("{} {} slower", slower, is_are(slower)));
  const std::size_t missing = count(FindingKind::missing) + count(FindingKind::incomparable);
  const std::size_t unclear = count(FindingKind::inconclusive);
  std::string text;
  if (!bad.empty()) {
    text = fmt::format("FAIL: {}.", fmt::join(bad, ", "));
  } else if (!verdicts.complete) {
    text = "INCOMPLETE: it ended before every case was decided.";
  } else if (missing > 0) {
    const std::size_t absent = count(FindingKind::missing);
    text = fmt::format("NOT COMPARABLE: {} of {} {}.", count_text(static_cast<double>(missing)), cases,
                       absent == missing ? fmt::format("{} missing", is_are(missing))
                       : absent == 0     ? "cannot be compared"
                                         : "cannot be compared or are missing");
  } else if (unclear > 0) {
    text = fmt::format("INCONCLUSIVE: {} of {} {} not clear, none is shown to be slower.", unclear, cases,
                       is_are(unclear));
  } else {
    text = fmt::format("PASS: none of {} is slower.", cases);
  }
  std::vector<std::string> rest;
  for (const FindingKind kind :
       {FindingKind::incomparable, FindingKind::missing, FindingKind::inconclusive, FindingKind::not_slower,
        FindingKind::faster, FindingKind::added, FindingKind::same, FindingKind::unsupported}) {
    if (count(kind) > 0)
      rest.push_back(fmt::format("{} {}", count_text(static_cast<double>(count(kind))),
                                 kind_names.at(static_cast<std::size_t>(kind))));
  }
  return rest.empty() ? text : fmt::format("{} {}.", text, fmt::join(rest, ", "));
}

std::string describe_case(const CaseVerdict& c) {
  CaseResult problem;
  problem.id = c.id;
  problem.op = c.op;
  problem.label = c.label;
  problem.parameters = c.parameters;
  problem.dtype = c.dtype;
  return printable(fmt::format("{} {} on {}", c.op, problem_title(problem), c.backend));
}

std::string describe_change(const CaseVerdict& c) {
  const auto ratio = change(c);
  if (!ratio || c.verdict == Verdict::incomparable) return "";
  if (!c.ratio) return fmt::format("{} by medians alone", change_text(*ratio));
  const std::string text = change_text(*c.ratio);
  const std::size_t interval = text.find(", ");
  return interval == std::string::npos
             ? text
             : fmt::format("{} ({})", text.substr(0, interval), text.substr(interval + 2));
}

std::string describe_times(const CaseVerdict& c) {
  if (!c.base_seconds && !c.head_seconds) return "";
  const auto time = [](const std::optional<double>& seconds) {
    return seconds ? format_seconds(*seconds) : "?";
  };
  return fmt::format("{} → {}", time(c.base_seconds), time(c.head_seconds));
}

std::string describe_details(const CaseVerdict& c) {
  std::vector<std::string> details;
  const bool in_base = c.presence != Presence::only_head;
  const bool in_head = c.presence != Presence::only_base;
  if (in_base && c.base_status != Status::ok) details.push_back(fmt::format("base {}", name(c.base_status)));
  // A wrong head is left out here: it is the finding itself.
  if (in_head && c.head_status != Status::ok && c.head_status != Status::wrong)
    details.push_back(fmt::format("head {}", name(c.head_status)));
  for (std::string& detail : details) std::replace(detail.begin(), detail.end(), '_', ' ');
  if (!c.reason.empty()) details.push_back(printable(c.reason));
  if (!c.base_algorithm.empty() && !c.head_algorithm.empty() && c.base_algorithm != c.head_algorithm) {
    details.push_back(printable(fmt::format("other algorithm: {} → {}", c.base_algorithm, c.head_algorithm)));
  }
  for (const std::string& note : c.notes) details.push_back(printable(note));
  return fmt::format("{}", fmt::join(details, "; "));
}

std::string describe_side(const Side& side) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : side.environment) settings.push_back(fmt::format("{}={}", name, value));
  const std::string source = !side.name.empty()     ? side.name
                             : side.backend.empty() ? side.source
                                                    : fmt::format("{}:{}", side.source, side.backend);
  return printable(settings.empty() ? source : fmt::format("{} ({})", source, fmt::join(settings, " ")));
}

}  // namespace breakeven
