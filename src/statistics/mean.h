// Means of a few nearly normal values, such as one logarithm of a ratio from each launch. Pure functions.
#pragma once

#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// The arithmetic mean of at least one value.
double mean(const std::vector<double>& values);

/// The sample standard deviation (n - 1) of at least two values.
double standard_deviation(const std::vector<double>& values);

/// The mean without a fraction `part` of the values, rounded down, at either end, so that occasional outliers
/// do not move it. Needs at least one value and `part` below a half.
double trimmed_mean(const std::vector<double>& values, double part);

/// The standard error of the trimmed mean: that of the winsorised values, in which the outermost values kept
/// replace those left out, divided by the fraction kept (Tukey and McLaughlin, Less vulnerable confidence and
/// significance procedures for location based on a single sample, Sankhya A 1963). Needs at least two values.
double trimmed_standard_error(const std::vector<double>& values, double part);

/// The confidence interval of the trimmed mean with error probability `error_each_side` on either side, by
/// Student's t for the number of values kept. Needs at least two values, of which two are kept. If all are
/// equal, as from a simulated backend without noise, both bounds are the mean.
Interval trimmed_mean_interval(const std::vector<double>& values, double part, double error_each_side);

}  // namespace breakeven
