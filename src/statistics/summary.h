// Summaries of samples: medians, means, and their intervals. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace breakeven {

/// The median of at least one value, in any order.
double median(std::vector<double> values);
/// The same; empty for no values.
std::optional<double> median_if_any(std::vector<double> values);

/// The q-quantile (0 to 1) by linear interpolation between order statistics (Hyndman and Fan, Sample
/// quantiles in statistical packages, The American Statistician 1996, definition 7).
double quantile(std::vector<double> values, double q);

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// Even the whole range of fewer samples covers less than 95 %.
inline constexpr std::size_t fewest_for_an_interval = 6;

/// A 95 % confidence interval of the median from order statistics, for any distribution (Conover, Practical
/// Nonparametric Statistics, 3rd ed., section 3.2). Empty for fewer samples
/// than fewest_for_an_interval.
std::optional<Interval> median_interval(std::vector<double> values);

/// A 95 % confidence interval of the median over several launches (fresh processes), whose medians differ by
/// more than the samples within one. It is the percentile bootstrap that draws launches first and then
/// samples within each (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, section 6).
/// For one launch, the interval from order statistics. Deterministic.
std::optional<Interval> median_interval(const std::vector<std::vector<double>>& launches);

/// A 95 % confidence interval of the probability of an event that occurred in `events` of `trials`
/// independent trials (Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934). 0 to
/// 1 if there are no trials.
Interval proportion_interval(std::size_t events, std::size_t trials);

/// Half the interval's width divided by the median. It is compared with the target precision.
double relative_half_width(const Interval& interval, double median);

// ---- means of a few nearly normal values, such as one logarithm of a ratio from each launch

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
/// Student's t for the number of values that are not trimmed, at least two. Their standard deviation counts
/// as at least `least_deviation`, in case they agree by chance. If that is 0 and all are equal, as from a
/// simulated backend without noise, both bounds are the mean.
Interval trimmed_mean_interval(const std::vector<double>& values, double part, double error_each_side,
                               double least_deviation = 0);

}  // namespace breakeven
