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

/// The mean of what is left when this part of the values, rounded down, is left out at either end: what is
/// far out now and then does not move it. At least one value; `part` is below a half.
double trimmed_mean(const std::vector<double>& values, double part);

/// Its standard error: that of the winsorised values, in which the outermost that are left stand for those
/// left out, over the part that is left (Tukey and McLaughlin, Less vulnerable confidence and significance
/// procedures for location based on a single sample, Sankhya A 1963). At least two values.
double trimmed_standard_error(const std::vector<double>& values, double part);

/// Its confidence interval with this chance of error on either side, by Student's t for as many values as are
/// left. At least two values, of which two are left. Where all are equal, as a simulated backend without
/// noise makes them, it is the mean alone.
Interval trimmed_mean_interval(const std::vector<double>& values, double part, double error_each_side);

}  // namespace breakeven
