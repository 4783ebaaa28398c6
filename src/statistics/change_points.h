// Finds where a series of times changed its level. Pure functions, deterministic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// The least number of values on a level. One or two disturbed runs are not a change.
inline constexpr std::size_t least_segment = 3;

struct ChangePoint {
  std::size_t position = 0;  // index of the first value on the new level
  double p_value = 1;        // of the test that found the change, over all positions of its segment
  double ratio = 1;          // new level divided by old level
  Interval interval = {};    // 95 % confidence interval of the ratio
};

/// The changes of level of `values` by at least `threshold` (0.03: 3 % up, or as much down), in order. The
/// values are above 0, in the order in which they were measured.
///
/// A segment is split where the values before and after differ most by the Mann-Whitney test. The p-values of
/// all positions are weighted (Genovese, Roeder and Wasserman, False discovery control with p-value
/// weighting, Biometrika 2006) by one over the distance to the nearer end, so that each octave of distances
/// has its share of the error rate: the newest values, which matter most, keep much of theirs. Both parts are
/// then searched in the same way (binary segmentation: Vostrikova 1981; Matteson and James, A nonparametric
/// approach for multiple change point analysis, JASA 2014). Only ranks are used. A series without a change,
/// whose values might have come in any order, therefore shows one with a probability of at most `level`,
/// whatever the distribution of the noise and its outliers. A permutation test guarantees the same, but needs
/// random draws.
///
/// Splits of less than `threshold` are then undone, the smallest first, so that a creep of many small steps
/// is found as a few changes that matter. So are those that are not significant between their neighbours
/// where values may resemble those before them (level_shift.h), the least certain first. A change is placed
/// where the sum of the distances of the logarithms to the medians of the two levels is least. The ratio is
/// the Hodges-Lehmann estimate between the segments on its two sides (at most 200 values on each, the
/// nearest), on the logarithms, with its distribution-free interval (Hollander and Wolfe, Nonparametric
/// Statistical Methods, sections 4.2 and 4.3).
std::vector<ChangePoint> change_points(std::span<const double> values, double threshold, double level);

/// The smallest p-value that a change in `count` consecutive values can have. If it is above the level,
/// change_points() finds no change, whatever the values.
double least_p_value(std::size_t count);

/// The number of values on a new level, after `before` on the old one, from which change_points() can find a
/// change at this level, if the change is clear. 0 if it is more than `before`.
std::size_t values_to_tell(std::size_t before, double level);

/// The logarithm of the one-sided p-value of a Mann-Whitney statistic of at most `u` (pairs in the wrong
/// order, of `few` * `many`, few <= many). An upper bound: exact in the tail if `few` is small, otherwise the
/// normal approximation with continuity correction, which overstates the tail.
double log_rank_tail(std::size_t few, std::size_t many, double u);

}  // namespace breakeven
