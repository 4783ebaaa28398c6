// Changes the order of elements of tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace breakeven {

/// Transposes each of `count` matrices, which are stored contiguously, from rows x columns to columns x rows.
/// NCHW to NHWC is a transposition of n matrices C x HW, and back of n matrices HW x C. Elements have `bytes`
/// bytes each. `to` must not overlap `from`. Throws std::invalid_argument for an element size that no dtype
/// has.
void transpose_matrices(const std::byte* from, std::int64_t count, std::int64_t rows, std::int64_t columns,
                        std::size_t bytes, std::byte* to);

}  // namespace breakeven
