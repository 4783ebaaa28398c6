// Finds where a straight line through noisy values crosses zero. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {

/// Independent, nearly normal values measured at one place.
struct ValuesAt {
  double at = 0;
  std::vector<double> values;
};

struct Crossing {
  double at = 0;
  double slope = 0;
  std::optional<Interval> interval;  // empty if the slope may be 0, so the crossing could be anywhere
};

/// The zero crossing of the least-squares line through all values. Its interval is Fieller's, which contains
/// the crossing with probability `confidence` (Fieller, Some problems in interval estimation, Journal of the
/// Royal Statistical Society B 1954). The interval reflects the variation of the values. If the places depart
/// from the line by more than their values explain (F test of lack of fit at 5 %), it reflects the variation
/// of the places, each with the mean of its values: some sizes suit a library's blocks better than others.
/// Returns an empty optional for fewer than two places or three values, and for a level line.
std::optional<Crossing> crossing_of(std::span<const ValuesAt> places, double confidence);

}  // namespace breakeven
