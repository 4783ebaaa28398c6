// The largest of something that fits, found by asking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "workloads/fit.h"

namespace breakeven {

/// `why_not` tries one size and says why it does not fit; empty if it does. Asks for multiples of `step`
/// alone: doubles from one up to `most`, then halves the distance until it is at most a hundredth, or one
/// step. What fits at one size fits at every smaller one.
Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<std::string(std::int64_t)>& why_not);

}  // namespace breakeven
