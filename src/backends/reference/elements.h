// Converts between elements as stored and float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven {

/// Converts `count` stored input elements of `dtype` to float64.
std::vector<double> widened(Dtype dtype, const std::byte* stored, std::int64_t count);

/// Writes result `index` for inputs of `dtype`, rounded to the type in which it is stored.
void store_output(Dtype dtype, std::byte* output, std::int64_t index, double value);

}  // namespace breakeven
