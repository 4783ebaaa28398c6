// Converts 16-bit floats to f32 and back, for libraries that have no products of such types.
#pragma once

#include <cstdint>

#include "workloads/dtype.h"

namespace breakeven::cblas {

/// `dtype` is bf16 or f16. Narrowing rounds to nearest, ties to even, like to_bf16 and to_f16.
void widen(Dtype dtype, const std::uint16_t* from, float* to, std::int64_t count);
void narrow(Dtype dtype, const float* from, std::uint16_t* to, std::int64_t count);

}  // namespace breakeven::cblas
