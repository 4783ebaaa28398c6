// Between the elements as stored and float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven {

/// `count` input elements of `dtype`, as stored, in float64.
std::vector<double> widened(Dtype dtype, const std::byte* stored, std::int64_t count);

/// Writes result `index` of inputs `dtype`, rounded to the type it is stored in.
void store_output(Dtype dtype, std::byte* output, std::int64_t index, double value);

}  // namespace breakeven
