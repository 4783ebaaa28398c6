// The ratio of two groups of times that were not measured in pairs. Pure functions.
#pragma once

#include <optional>
#include <span>

#include "statistics/summary.h"

namespace breakeven {

/// The logarithm of a ratio and its uncertainty: the error of the estimate is `standard_error` times a
/// Student's t variable with `degrees_of_freedom`.
struct LogRatio {
  double mean = 0;
  double standard_error = 0;
  double degrees_of_freedom = 1;
};

/// The logarithm of the ratio of `over` to `under`: the difference of the means of the logarithms, with
/// Welch's unequal variances (Welch, The generalization of Student's problem when several different
/// population variances are involved, Biometrika 1947). The values are above 0 and independent of each other:
/// one per launch. Empty if either group has fewer than two values, because one value does not show how
/// values differ.
std::optional<LogRatio> log_ratio(std::span<const double> over, std::span<const double> under);

/// The interval of the ratio (not of its logarithm) that contains it with probability `confidence`: 0.95 for
/// 95 %.
Interval ratio_interval(const LogRatio& ratio, double confidence);

/// The p-value of the two-sided test that the ratio is 1.
double p_value(const LogRatio& ratio);

}  // namespace breakeven
