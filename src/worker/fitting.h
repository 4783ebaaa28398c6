// The largest of something that fits, found by asking.
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/fit.h"

namespace breakeven {

/// `try_size` throws OutOfMemory where the size does not fit, and Unsupported where a library takes none so
/// large: the reason then begins with "library limit". Unsupported of the smallest size is thrown on. Only
/// multiples of `step` are tried: doubles from one up to `most`, then halves the distance until it is at most
/// a hundredth, or one step. What fits at one size fits at every smaller one.
Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<void(std::int64_t)>& try_size);

}  // namespace breakeven
