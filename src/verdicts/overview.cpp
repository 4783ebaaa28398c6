#include "verdicts/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "results/number_text.h"
#include "statistics/summary.h"
#include "verdicts/sequential.h"

namespace breakeven {

std::string status_text(Status status) {
  std::string text(name(status));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string status_text(Status status, const std::string& reason) {
  std::string text = status_text(status);
  return reason.empty() || reason == text ? text : fmt::format("{}: {}", text, reason);
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
    return fmt::format("both sides: {}", status_text(c.head_status));
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

std::vector<double> means_of_launches(const std::vector<std::vector<double>>& cases) {
  std::size_t shared = cases.empty() ? 0 : cases.front().size();
  for (const std::vector<double>& values : cases) shared = std::min(shared, values.size());
  std::vector<double> means(shared);
  for (std::size_t launch = 0; launch < means.size(); ++launch) {
    for (const std::vector<double>& values : cases)
      means[launch] += values[launch] / static_cast<double>(cases.size());
  }
  return means;
}

Interval interval_around(double ratio, const Interval& logarithm) {
  const double half_width = (logarithm.high - logarithm.low) / 2;
  return {.low = ratio * std::exp(-half_width), .high = ratio * std::exp(half_width)};
}

namespace {

/// The effects in each launch, by case.
struct CasesEffects {
  std::vector<std::vector<double>> lower, upper;

  /// Leaves out launches of a file that have no pair of times.
  void add(const std::vector<LaunchSamples>& launches) {
    std::vector<double>& least = lower.emplace_back();
    std::vector<double>& most = upper.emplace_back();
    for (const LaunchSamples& launch : launches) {
      if (launch.base.empty() || launch.head.empty()) continue;
      const LaunchEffect effect = effect_of(launch);
      if (!std::isfinite(effect.lower) || !std::isfinite(effect.upper)) continue;
      least.push_back(effect.lower);
      most.push_back(effect.upper);
    }
  }
};

}  // namespace

std::optional<OverallChange> overall_change(const Verdicts& verdicts) {
  // The first look at a case needs as many.
  const auto launches_of_first_look = static_cast<std::size_t>(first_looks().front().launches);
  std::vector<double> logarithms;
  CasesEffects effects;
  for (const CaseVerdict& c : verdicts.cases) {
    if (c.verdict == Verdict::incomparable || !c.ratio) continue;
    logarithms.push_back(std::log(c.ratio->value));
    effects.add(c.launches);
  }
  if (logarithms.empty()) return std::nullopt;
  OverallChange change{.ratio = std::exp(mean(logarithms)), .interval = {}, .cases = logarithms.size()};
  const std::vector<double> least = means_of_launches(effects.lower);
  if (verdicts.mean_change) {
    change.interval = Interval{.low = verdicts.mean_change->low, .high = verdicts.mean_change->high};
  } else if (least.size() >= launches_of_first_look) {
    const std::vector<double> most = means_of_launches(effects.upper);
    change.interval = interval_around(change.ratio, {.low = trimmed_mean_interval(least, 0, 0.025).low,
                                                     .high = trimmed_mean_interval(most, 0, 0.025).high});
  }
  return change;
}

}  // namespace breakeven
