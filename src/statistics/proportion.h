// Estimates the probability of an event from how often it occurred. Pure functions.
#pragma once

#include <cstddef>

#include "statistics/summary.h"

namespace breakeven {

/// A 95 % confidence interval of the probability of an event that occurred in `events` of `trials`
/// independent trials (Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934). 0 to
/// 1 if there are no trials.
Interval proportion_interval(std::size_t events, std::size_t trials);

}  // namespace breakeven
