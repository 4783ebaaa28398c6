// Two-byte floats to f32 and back: what a library without products of theirs makes necessary.
#pragma once

#include <cstdint>

#include "workloads/dtype.h"

namespace breakeven::cblas {

/// `dtype` is bf16 or f16. Narrowing rounds to nearest, ties to even, as to_bf16 and to_f16 do.
void widen(Dtype dtype, const std::uint16_t* from, float* to, std::int64_t count);
void narrow(Dtype dtype, const float* from, std::uint16_t* to, std::int64_t count);

}  // namespace breakeven::cblas
