// Means of a few values that are near normal, such as one logarithm of a ratio from each launch. Pure
// functions.
#pragma once

#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// At least one value.
double mean(const std::vector<double>& values);

/// Of the values, by n - 1; at least two of them.
double standard_deviation(const std::vector<double>& values);

/// The confidence interval of the mean with this chance of error on either side, by Student's t (Student, The
/// probable error of a mean, Biometrika 1908). At least two values. Where all are equal, as a simulated
/// backend without noise makes them, it is the mean alone.
Interval mean_interval(const std::vector<double>& values, double error_each_side);

}  // namespace breakeven
