// Two result files, made at different times, case by case.
#pragma once

#include <set>

#include "verdicts/differences.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct CompareOptions {
  double threshold = 0.03;       // the smallest change that matters: 0.03 is 3 %
  double error_rate = 0.02;      // the part of comparisons without a change that may find one
  std::set<Difference> allowed;  // differences in spite of which times are compared
};

/// With fewer launches of a side, it is not known how much launches differ.
inline constexpr std::size_t fewest_launches = 3;

/// Launches are the unit: the ratio is that of the geometric means of launches' medians, with Welch's 95 %
/// interval. Slower and faster are decided by Holm's procedure over all compared cases, so that half of
/// `error_rate` bounds the comparisons that call anything slower although nothing changed. A standard error
/// below the lower quartile of those of its backend is raised to that, because a few launches are sometimes
/// alike by chance. The result lacks only the sides' `source` and the time, `created`.
Verdicts compare_results(const Result& base, const Result& head, const CompareOptions& options);

}  // namespace breakeven
