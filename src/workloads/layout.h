// Elements of tensors in another order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace breakeven {

/// Each of `count` matrices, one behind the other, rows x columns to columns x rows. NCHW to NHWC is that of
/// n matrices C x HW, and back that of n matrices HW x C. Elements of `bytes` bytes each; `to` is none of
/// `from`. Throws std::invalid_argument for a size of elements that no dtype has.
void transpose_matrices(const std::byte* from, std::int64_t count, std::int64_t rows, std::int64_t columns,
                        std::size_t bytes, std::byte* to);

}  // namespace breakeven
