// Tests of whether measured differences are more than chance. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {

// ---- pairs: the randomisation test

/// The one-sided p-value of the values' mean: the probability of a mean at least as large if the sign of each
/// value is random. It is exact for every distribution that is symmetric around 0, as the difference of two
/// identical sides is (Fisher, The Design of Experiments, 1935, section 21). Never below 2^-n, so few values
/// cannot give a small p-value. 1 for no values. Time and memory double with every other value: 40 values
/// need 16 MiB.
double sign_flip_p_value(const std::vector<double>& values);

/// Limits all values to `times` the median of their magnitudes, in either direction, so that one outlier does
/// not outweigh the others. The limit depends on the magnitudes only, which flipping signs does not change,
/// so the test stays exact.
std::vector<double> limited(std::vector<double> values, double times);

// ---- two groups of times that were not measured in pairs

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

// ---- values that should be alike

/// The ratio of the geometric mean of `further` values to that of `usual` ones, all as logarithms; how much
/// the usual ones vary decides its standard error. Needs at least one further value and two usual ones.
LogRatio beside_usual(const std::vector<double>& further, const std::vector<double>& usual);

// ---- several tests at once

/// Adjusts p-values by Holm's step-down procedure; returns them in the same order. If all those of at most
/// `level` count as significant, at most a fraction `level` of such families of tests contains a false one,
/// however the tests depend on each other (Holm, A simple sequentially rejective multiple test procedure,
/// Scandinavian Journal of Statistics 1979).
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

/// Adjusts p-values by the procedure of Benjamini and Hochberg; returns them in the same order. If all those
/// of at most `level` count as significant, on average at most a fraction `level` of them is false, and at
/// most such a fraction of families without any difference has one. Tests may be independent or depend on
/// each other positively (Benjamini and Hochberg, Controlling the false discovery rate, Journal of the Royal
/// Statistical Society B 1995).
std::vector<double> benjamini_hochberg_adjusted(const std::vector<double>& p_values);

}  // namespace breakeven
