#include "verdicts/decision.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/summary.h"

namespace breakeven {
namespace {

/// The standard deviation of the logarithms of a side's medians between launches.
double deviation_of_side(const std::vector<LaunchSamples>& launches,
                         std::vector<double> LaunchSamples::*side) {
  std::vector<double> logarithms;
  logarithms.reserve(launches.size());
  for (const LaunchSamples& launch : launches) logarithms.push_back(std::log(median(launch.*side)));
  constexpr double outermost = 0.1;  // a single launch that was disturbed is no program that varies
  return trimmed_standard_error(logarithms, outermost) * std::sqrt(static_cast<double>(logarithms.size()));
}

}  // namespace

Note launches_differ(const std::vector<LaunchSamples>& launches) {
  constexpr double several_times = 3;
  const auto count = static_cast<double>(launches.size());
  if (launches.size() < 2) return {.kind = NoteKind::launches_differ, .figures = {count}};
  const double base = deviation_of_side(launches, &LaunchSamples::base);
  const double head = deviation_of_side(launches, &LaunchSamples::head);
  if (std::max(base, head) <= several_times * std::min(base, head))
    return {.kind = NoteKind::launches_differ, .figures = {count}};
  const bool is_head = head > base;
  return {.kind = NoteKind::launches_of_side_differ,
          .figures = {count, std::max(base, head), std::min(base, head)},
          .about = {is_head ? "head" : "base", is_head ? "base" : "head"}};
}

bool not_slower(const Ratio& ratio, double threshold) {
  return ratio.high <= 1 + threshold;
}

bool is_same(const Ratio& ratio, double threshold) {
  return ratio.low >= 1 / (1 + threshold) && not_slower(ratio, threshold);
}

Verdict decide(const Ratio& ratio, double threshold, bool significant) {
  if (is_same(ratio, threshold)) return Verdict::same;
  if (significant && ratio.value >= 1 + threshold) return Verdict::slower;
  if (significant && ratio.value <= 1 / (1 + threshold)) return Verdict::faster;
  return Verdict::inconclusive;
}

Note why_inconclusive(const Ratio& ratio, double threshold, bool significant) {
  const double slower = 1 + threshold;
  if (not_slower(ratio, threshold)) return {.kind = NoteKind::perhaps_faster};
  if (significant && ratio.value > 1) return {.kind = NoteKind::perhaps_below_threshold};
  if (ratio.value < slower && ratio.value > 1 / slower) return {.kind = NoteKind::launches_beyond_threshold};
  return {.kind =
              ratio.low > 1 || ratio.high < 1 ? NoteKind::not_significant : NoteKind::change_not_confirmed};
}

std::optional<Leaning> leaning_of(const std::optional<Ratio>& ratio, double threshold,
                                  const std::optional<bool>& suspected_slower) {
  // Launches that were too few for a suspicion may still show a change.
  if (ratio && ratio->low > 1 && ratio->value >= 1 + threshold)
    return Leaning{.slower = true, .is_probable = true};
  if (ratio && ratio->high < 1 && ratio->value <= 1 / (1 + threshold))
    return Leaning{.slower = false, .is_probable = true};
  if (suspected_slower) return Leaning{.slower = *suspected_slower, .is_probable = false};
  return std::nullopt;
}

std::vector<Note> reasons_of_inconclusive(const CaseVerdict& c, double threshold,
                                          const std::optional<bool>& suspected_slower, Note cause) {
  std::vector<double> change;
  if (c.ratio) change = {c.ratio->value, c.ratio->low, c.ratio->high};
  std::vector<Note> reasons;
  if (const auto leaning = leaning_of(c.ratio, threshold, suspected_slower)) {
    reasons.push_back({.kind = leaning->is_probable ? NoteKind::probably : NoteKind::suspected,
                       .figures = std::move(change),
                       .about = {leaning->slower ? "slower" : "faster"}});
  } else if (c.not_slower) {
    reasons.push_back({.kind = NoteKind::not_slower, .figures = std::move(change)});
  } else if (c.launches.empty()) {
    reasons.push_back({.kind = NoteKind::never_measured});
  }
  reasons.push_back(std::move(cause));
  return reasons;
}

}  // namespace breakeven
