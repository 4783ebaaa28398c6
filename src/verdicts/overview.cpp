#include "verdicts/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "results/number_text.h"
#include "statistics/estimate.h"

namespace breakeven {

std::string status_text(Status status) {
  std::string text(name(status));
  std::ranges::replace(text, '_', ' ');
  return text;
}

namespace {

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
    return fmt::format("both sides: {}", name(c.head_status));
  if (c.head_status != Status::ok) return fmt::format("the head {}", what_happened(c.head_status));
  if (c.base_status != Status::ok) return fmt::format("the base {}", what_happened(c.base_status));
  return c.reason.empty() ? "no reason was given" : c.reason;
}

}  // namespace

std::vector<CauseGroup> incomparable_by_cause(const Verdicts& verdicts) {
  std::vector<CauseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const CaseVerdict& c : verdicts.cases) {
    std::string cause = cause_of(c);
    if (cause.empty()) continue;
    const auto [place, is_new] = places.try_emplace(cause, groups.size());
    if (is_new) groups.push_back({.cause = std::move(cause), .reason = c.reason, .cases = {}});
    groups[place->second].cases.push_back(&c);
  }
  std::ranges::stable_sort(groups, std::greater{},
                           [](const CauseGroup& group) { return group.cases.size(); });
  return groups;
}

std::optional<OverallChange> overall_change(const Verdicts& verdicts) {
  std::vector<Estimate> ratios;
  for (const CaseVerdict& c : verdicts.cases) {
    if (c.verdict == Verdict::incomparable || !c.ratio) continue;
    ratios.push_back(
        {.value = c.ratio->value, .interval = Interval{.low = c.ratio->low, .high = c.ratio->high}});
  }
  if (ratios.empty()) return std::nullopt;
  const Estimate mean = geometric_mean(ratios);
  const Interval interval = mean.interval.value_or(Interval{.low = mean.value, .high = mean.value});
  return OverallChange{.ratio = {.value = mean.value, .low = interval.low, .high = interval.high},
                       .cases = ratios.size()};
}

}  // namespace breakeven
