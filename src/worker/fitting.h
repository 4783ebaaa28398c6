// The largest of something that fits, found by trying.
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/fit.h"

namespace breakeven {

/// find_fit() by `try_size`, which throws OutOfMemory if the size does not fit, and Unsupported if a library
/// takes none so large: the reason then begins with "library limit". Unsupported of the smallest size is
/// thrown on.
Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<void(std::int64_t)>& try_size);

}  // namespace breakeven
