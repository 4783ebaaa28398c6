// Finds the largest size that fits, by trying.
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/fit.h"

namespace breakeven {

/// Runs find_fit() with `try_size`, which throws OutOfMemory if the size does not fit, and Unsupported if a
/// library does not accept a size that large: the reason then begins with "library limit". Unsupported for
/// the smallest size is passed on to the caller.
Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<void(std::int64_t)>& try_size);

}  // namespace breakeven
