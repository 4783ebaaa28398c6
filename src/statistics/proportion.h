// How often something happens, from how often it did. Pure functions.
#pragma once

#include <cstddef>

#include "statistics/summary.h"

namespace breakeven {

/// A 95 % confidence interval of the chance of an event that was seen in `events` of `trials` independent
/// trials (Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 1934). 0 to 1 for no
/// trials.
Interval proportion_interval(std::size_t events, std::size_t trials);

}  // namespace breakeven
