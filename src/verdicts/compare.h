// Two result files, made at different times, case by case.
#pragma once

#include <set>

#include "verdicts/differences.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct CompareOptions {
  double threshold = 0.03;       // the smallest change that matters, as a part
  double error_rate = 0.02;      // of all comparisons in which nothing changed, how many may find a change
  std::set<Difference> allowed;  // what does not make two times incomparable
};

/// Fewer launches of a side say too little of how launches differ.
inline constexpr std::size_t fewest_launches = 3;

/// Launches are the unit: the ratio is that of the geometric means of launches' medians, with Welch's 95 %
/// interval; slower and faster are decided by Holm's procedure over all of the cases that are compared, so
/// that half of `error_rate` bounds the comparisons that call anything slower although nothing changed. A
/// standard error below the lower quartile of those on its backend counts as that: few launches are alike by
/// chance now and then. Everything is in the result but the sides' `source` and the time, `created`.
Verdicts compare_results(const Result& base, const Result& head, const CompareOptions& options);

}  // namespace breakeven
