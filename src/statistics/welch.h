// The ratio of two groups of times that were taken at different times. Pure functions.
#pragma once

#include <optional>
#include <span>

#include "statistics/summary.h"

namespace breakeven {

/// The logarithm of a ratio, and how well it is known: the estimate is taken to be off by
/// `standard_error` times Student's t with `degrees_of_freedom`.
struct LogRatio {
  double mean = 0;
  double standard_error = 0;
  double degrees_of_freedom = 1;
};

/// Of `over` to `under`: the difference of the means of the logarithms, with Welch's unequal variances
/// (Welch, The generalization of Student's problem when several different population variances are involved,
/// Biometrika 1947). The values, above 0, are independent of each other: one a launch. Nothing for fewer than
/// two of either: one value does not say how values differ.
std::optional<LogRatio> log_ratio(std::span<const double> over, std::span<const double> under);

/// Of the ratio (not its logarithm), which it covers with this confidence: 0.95 for 95 %.
Interval ratio_interval(const LogRatio& ratio, double confidence);

/// Of the two-sided test that the ratio is 1.
double p_value(const LogRatio& ratio);

}  // namespace breakeven
