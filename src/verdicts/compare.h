// Compares two result files, made at different times, case by case.
#pragma once

#include <set>

#include "verdicts/differences.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct CompareOptions {
  double threshold = 0.03;       // the smallest change that matters: 0.03 is 3 %
  double error_rate = 0.02;      // probability that a comparison without any change finds one
  std::set<Difference> allowed;  // differences that do not prevent a comparison
};

/// The launches of each side that a comparison needs. With fewer, the variation between launches is unknown.
inline constexpr std::size_t fewest_launches = 5;

/// Compares each case of the two results. The unit is the launch: the ratio is that of the geometric means of
/// the launches' medians, with Welch's 95 % interval. Slower and faster are decided by Holm's procedure over
/// all compared cases, so that half of `error_rate` bounds the comparisons that call anything slower although
/// nothing changed. A standard error below the lower quartile of those of its backend is raised to that,
/// because a few launches are sometimes alike by chance. Launches of two kinds, such as two memory layouts,
/// may be all of one kind in the base and all of the other in the head: a case counts as slower or faster
/// only where the chance of that, added up over the cases whose launches differ by half of the change or
/// more, is small enough, too. The caller sets the sides' `source` and the time, `created`.
Verdicts compare_results(Result base, Result head, const CompareOptions& options);

}  // namespace breakeven
