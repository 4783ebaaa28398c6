// The effect that one launch (fresh processes of both sides) shows: a number or, beside neighbours, bounds of
// it. Pure functions, for all verdicts that pair launches.
#pragma once

#include <vector>

#include "statistics/summary.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// The effect in a launch, the logarithm of one side's amount over the other's, lies between two bounds. They
/// are equal if nothing disturbed the launch.
struct LaunchEffect {
  double lower = 0, upper = 0;
  // NOLINTNEXTLINE(google-explicit-constructor): an effect that is known is one between itself and itself
  LaunchEffect(double effect) : lower(effect), upper(effect) {}
  LaunchEffect(double lowest, double highest) : lower(lowest), upper(highest) {}
  bool is_known() const { return lower == upper; }
  double middle() const { return (lower + upper) / 2; }
  bool operator==(const LaunchEffect&) const = default;
};

std::vector<double> middles_of(const std::vector<LaunchEffect>& effects);
std::vector<double> bounds_of(const std::vector<LaunchEffect>& effects, double LaunchEffect::*bound);

/// The interval of the mean effect, wherever between their bounds the launches' effects are. The other
/// arguments are those of trimmed_mean_interval() of numbers.
Interval trimmed_mean_interval(const std::vector<LaunchEffect>& effects, double trimmed, double error,
                               double least_deviation = 0);

/// The most by which the logarithm of a ratio may be wrong that was measured at this fraction of the
/// machine's own speed; 0 from `trusted_speed_share` up. The probe is code that neighbours slow more than
/// most (docs/gate-quality.md).
double neighbour_bound(double own_speed);

/// The effect in a launch: the median over its undisturbed pairs, if enough of them are, or else over the
/// half of its pairs at which the machine was fastest, with their bounds.
LaunchEffect effect_of(const LaunchSamples& launch);

}  // namespace breakeven
