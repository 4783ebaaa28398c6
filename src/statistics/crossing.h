// Where a straight line through noisy values crosses zero. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// Independent values, near normal around the truth at a place.
struct ValuesAt {
  double at = 0;
  std::vector<double> values;
};

struct Crossing {
  double at = 0;
  double slope = 0;
  std::optional<Interval> interval;  // absent where the slope may as well be none: it could be anywhere
};

/// Of the line by least squares through all values, with Fieller's interval (Fieller, Some problems in
/// interval estimation, Journal of the Royal Statistical Society B 1954), which covers the place with this
/// confidence. What varies is taken to be the values. Where places depart from the line by more than their
/// values explain (F test of lack of fit at 5 %), as sizes do that suit a library's blocks better or worse
/// than others, it is the places, each with the mean of its values. Nothing for fewer than two places or
/// three values, and of a level line.
std::optional<Crossing> crossing_of(std::span<const ValuesAt> places, double confidence);

}  // namespace breakeven
