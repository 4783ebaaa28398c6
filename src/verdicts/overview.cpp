#include "verdicts/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
