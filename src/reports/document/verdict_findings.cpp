#include "reports/document/verdict_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "reports/words/change_text.h"
#include "reports/words/notes.h"
#include "results/algorithm.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

/// The head's time divided by the base's, from the best available data.
std::optional<double> change(const CaseVerdict& c) {
  if (c.ratio) return c.ratio->value;
  if (c.base_seconds && c.head_seconds) return *c.head_seconds / *c.base_seconds;
  return std::nullopt;
}

struct Headline {
  std::string in_short, why;
};

Headline headline_of(const Verdicts& verdicts) {
  std::array<std::size_t, names_of(FindingKind{}).size()> counts{};
  for (const CaseVerdict& c : verdicts.cases) ++counts.at(static_cast<std::size_t>(finding_kind(c)));
  const auto count = [&](FindingKind kind) { return counts.at(static_cast<std::size_t>(kind)); };
  const std::size_t all = verdicts.cases.size();
  if (all == 0) return {.in_short = "No case was compared", .why = "there is none."};
  const std::string cases = counted_text(all, "case", "cases");
  const auto share = [&](std::size_t n, std::string_view one, std::string_view several) {
    return fmt::format("{} of {} {}", count_text(n), cases, n == 1 ? one : several);
  };
  const std::size_t wrong = count(FindingKind::wrong);
  const std::size_t slower = count(FindingKind::slower);
  const std::size_t missing = count(FindingKind::missing);
  const std::size_t absent = missing + count(FindingKind::incomparable);
  const std::size_t unclear = count(FindingKind::inconclusive);
  Headline said;
  std::vector<std::string> parts;
  if (wrong > 0) {
    said.in_short = "FAIL";
    parts.push_back(fmt::format("{} wrong results{}.", share(wrong, "computes", "compute"),
                                slower == 0 ? "" : ", " + counted_text(slower, "is slower", "are slower")));
  } else if (slower > 0) {
    said.in_short = "FAIL";
    parts.push_back(fmt::format("{} slower.", share(slower, "is", "are")));
  } else if (!verdicts.complete) {
    said.in_short = "INCOMPLETE";
    parts.emplace_back("it ended before every case was decided.");
  } else if (absent > 0) {
    const char* both = missing == 0 ? "cannot be compared" : "cannot be compared or are missing";
    said.in_short = "NOT COMPARABLE";
    parts.push_back(fmt::format(
        "{}.", absent == missing ? share(absent, "is missing", "are missing") : share(absent, both, both)));
  } else if (!compares_any(verdicts)) {
    said.in_short = "No case was compared";
  } else if (unclear > 0) {
    said.in_short = "INCONCLUSIVE";
    parts.push_back(fmt::format("{} not clear, none is shown to be slower.", share(unclear, "is", "are")));
  } else {
    said.in_short = "PASS";
    parts.push_back(fmt::format("none of {} is slower.", cases));
  }
  std::vector<std::string> rest;
  for (const FindingKind kind :
       {FindingKind::incomparable, FindingKind::missing, FindingKind::inconclusive, FindingKind::not_slower,
        FindingKind::faster, FindingKind::added, FindingKind::same, FindingKind::unsupported}) {
    if (count(kind) > 0) rest.push_back(counted_text(count(kind), name(kind), name(kind)));
  }
  if (!rest.empty()) parts.push_back(fmt::format("{}.", fmt::join(rest, ", ")));
  said.why = fmt::format("{}", fmt::join(parts, " "));
  return said;
}

/// The outcome of a side whose status is not ok: "failed", "timed out", ...
std::string what_happened(Status status) {
  if (is_wrong(status)) return "is wrong";
  if (status == Status::out_of_memory) return "ran out of memory";
  if (status == Status::unsupported) return "does not support it";
  return status == Status::interrupted ? "was " + status_text(status) : status_text(status);
}

/// The cause for which a case was not compared; empty if it was, or need not be.
std::string cause_of(const CaseVerdict& c) {
  const FindingKind kind = finding_kind(c);
  if (kind == FindingKind::missing) return "missing in the head";
  if (kind != FindingKind::incomparable) return "";
  if (c.presence == Presence::only_head)
    return fmt::format("new, and the head {}", what_happened(c.head_status));
  if (!c.differences.empty()) return fmt::format("different {}", joined_text(c.differences));
  if (c.head_status != Status::ok && c.base_status == c.head_status)
    return fmt::format("both sides: {}", status_text(c.head_status));
  if (c.head_status != Status::ok) return fmt::format("the head {}", what_happened(c.head_status));
  if (c.base_status != Status::ok) return fmt::format("the base {}", what_happened(c.base_status));
  return c.reasons.empty() ? "no reason was given" : reasons_text(c.reasons);
}

}  // namespace

std::vector<CauseGroup> incomparable_by_cause(const Verdicts& verdicts) {
  std::vector<CauseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const CaseVerdict& c : verdicts.cases) {
    std::string cause = cause_of(c);
    if (cause.empty()) continue;
    const auto [place, is_new] = places.try_emplace(cause, groups.size());
    if (is_new) groups.push_back({.cause = std::move(cause), .reason = reasons_text(c.reasons), .cases = {}});
    groups[place->second].cases.push_back(&c);
  }
  std::ranges::stable_sort(groups, std::greater{},
                           [](const CauseGroup& group) { return group.cases.size(); });
  return groups;
}

std::vector<const CaseVerdict*> worst_first(const Verdicts& verdicts, bool with_unchanged) {
  std::vector<const CaseVerdict*> cases;
  for (const CaseVerdict& c : verdicts.cases) {
    const FindingKind kind = finding_kind(c);
    const bool unchanged = kind == FindingKind::same || kind == FindingKind::unsupported;
    if (!unchanged || with_unchanged) cases.push_back(&c);
  }
  std::ranges::stable_sort(cases, {}, [](const CaseVerdict* c) {
    const FindingKind kind = finding_kind(*c);
    const double ratio = change(*c).value_or(0);
    return std::pair(kind, kind == FindingKind::faster ? ratio : -ratio);
  });
  return cases;
}

std::string headline_in_short(const Verdicts& verdicts) {
  return headline_of(verdicts).in_short;
}

std::string headline(const Verdicts& verdicts) {
  const Headline said = headline_of(verdicts);
  return fmt::format("{}: {}", said.in_short, said.why);
}

std::string describe_case(const CaseVerdict& c) {
  return printable(fmt::format("{} {} on {}", c.op, problem_title(c), c.backend));
}

std::string describe_change(const CaseVerdict& c) {
  const auto ratio = change(c);
  if (!ratio || c.verdict == Verdict::incomparable) return "";
  if (!c.ratio) return fmt::format("{} by medians alone", change_text(*ratio));
  return fmt::format("{} ({})", change_text(*ratio), interval_text(*c.ratio));
}

std::string describe_times(const CaseVerdict& c) {
  if (!c.base_seconds && !c.head_seconds) return "";
  const auto time = [](const std::optional<double>& seconds) {
    return seconds ? format_seconds(*seconds) : "?";
  };
  // The change is that of pairs of samples, from which the medians of the sides may differ.
  const bool is_paired = c.ratio && c.base_seconds && c.head_seconds;
  return fmt::format("{} → {}", time(c.base_seconds),
                     time(is_paired ? std::optional(*c.base_seconds * c.ratio->value) : c.head_seconds));
}

std::string describe_details(const CaseVerdict& c) {
  std::vector<std::string> details;
  const bool in_base = c.presence != Presence::only_head;
  const bool in_head = c.presence != Presence::only_base;
  if (in_base && c.base_status != Status::ok) details.push_back("base " + status_text(c.base_status));
  // A wrong head is left out here, because it is the finding itself.
  if (in_head && c.head_status != Status::ok && c.head_status != Status::wrong)
    details.push_back("head " + status_text(c.head_status));
  const std::string reason = reasons_text(c.reasons);
  const bool says_more = reason != status_text(c.base_status) && reason != status_text(c.head_status);
  if (!reason.empty() && says_more) details.push_back(printable(reason));
  const std::string was = chosen_algorithm(c.base_algorithm), is = chosen_algorithm(c.head_algorithm);
  if (!was.empty() && !is.empty() && was != is)
    details.push_back(printable(fmt::format("other algorithm: {} → {}", was, is)));
  return fmt::format("{}", fmt::join(details, "; "));
}

std::string describe_notes(const CaseVerdict& c) {
  return printable(reasons_text(c.notes));
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
