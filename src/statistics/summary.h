// Summaries of one case's samples. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace breakeven {

/// Of sorted or unsorted values, of which there must be at least one.
double median(std::vector<double> values);

/// The q-quantile (0 to 1) by linear interpolation between order statistics (Hyndman and Fan, Sample
/// quantiles in statistical packages, The American Statistician 1996, definition 7).
double quantile(std::vector<double> values, double q);

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// A 95 % confidence interval of the median from order statistics, whatever the distribution (Conover,
/// Practical Nonparametric Statistics, 3rd ed., section 3.2). Nothing for fewer than six values: their whole
/// range covers less.
std::optional<Interval> median_interval(std::vector<double> values);

/// The same over several launches (fresh processes), whose medians differ by more than samples within one do:
/// the percentile bootstrap that draws launches first and then samples within each (Kalibera and Jones,
/// Rigorous benchmarking in reasonable time, ISMM 2013, section 6). One launch: median_interval.
/// Deterministic.
std::optional<Interval> median_interval(const std::vector<std::vector<double>>& launches);

/// Half the interval's width over the median: what a target precision is compared with.
double relative_half_width(const Interval& interval, double median);

}  // namespace breakeven
