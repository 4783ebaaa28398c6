// The largest of something that fits, found by asking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "workloads/fit.h"

namespace breakeven {

/// `why_not` tries one size and says why it does not fit; empty if it does. Doubles from 1 up to `most`, then
/// halves the distance until it is at most a hundredth: what fits at one size fits at every smaller one.
Fit largest_that_fits(std::int64_t most, const std::function<std::string(std::int64_t)>& why_not);

}  // namespace breakeven
