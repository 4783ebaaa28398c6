// Where a series of times changed its level. Pure functions, deterministic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// No level is believed to have changed for fewer values than this: one disturbed run, or two, are no change.
inline constexpr std::size_t least_segment = 3;

struct ChangePoint {
  std::size_t position = 0;  // of the first value that is on the new level
  double p_value = 1;        // of the test that found it, over all positions of its segment
  double ratio = 1;          // new level over old
  Interval interval;         // of the ratio, 95 %
};

/// The changes of level of `values` (above 0, in the order in which they were measured) by at least
/// `threshold` (0.03: 3 % up, or as much down), in order.
///
/// A segment is split where the values before and after differ most by the Mann-Whitney test; the p-values of
/// all positions are weighted (Genovese, Roeder and Wasserman, False discovery control with p-value
/// weighting, Biometrika 2006) by one over the distance to the nearer end, so that each octave of distances
/// has its share of the error rate: the newest values, which matter most, keep much of theirs. Both parts are
/// then searched in the same way (binary segmentation: Vostrikova 1981; Matteson and James, A nonparametric
/// approach for multiple change point analysis, JASA 2014). Only ranks are used, so that whatever the
/// distribution of the noise, outliers included, a series without a change whose values might have come in
/// any order shows one with a probability of at most `level`, as with a permutation test, but without the
/// draws.
///
/// Of the splits, those of less than `threshold` are then undone, the smallest first, so that a creep of many
/// small steps is found as a few that matter. The place of a change is where the sum of the distances of the
/// logarithms to the medians of the two levels is least. A ratio is the Hodges-Lehmann estimate between the
/// segments on its two sides (at most 200 values on each, the nearest), on the logarithms, with its
/// distribution-free interval (Hollander and Wolfe, Nonparametric Statistical Methods, sections 4.2 and 4.3).
std::vector<ChangePoint> change_points(std::span<const double> values, double threshold, double level);

/// The smallest p-value that `count` values in a row can give a change: where it is above the level,
/// change_points() finds none whatever happens.
double least_p_value(std::size_t count);

/// How many values on a new level it takes, after `before` on the old one, until change_points() finds any
/// change at this level, however clear. 0: more than `before`.
std::size_t values_to_tell(std::size_t before, double level);

/// The one-sided p-value of a Mann-Whitney statistic of at most `u` (pairs in the wrong order, of
/// `few` * `many`, few <= many), as its logarithm: an upper bound that is exact in the tail where `few` is
/// small, else the normal approximation with continuity correction, which overstates the tail.
double log_rank_tail(std::size_t few, std::size_t many, double u);

}  // namespace breakeven
