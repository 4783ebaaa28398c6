// Division by a number that is known before a kernel is launched: a multiplication instead of a GPU's
// division, which takes dozens of instructions.
#pragma once

#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

/// Computes n / divisor and n % divisor for n >= 0 with n * divisor < 2^64. In this range the rounded-up
/// reciprocal is exact (D. Lemire, O. Kaser, N. Kurz, "Faster remainder by direct computation", 2019).
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::int64_t divisor)
      : divisor_(static_cast<std::uint64_t>(divisor)),
        reciprocal_(divisor == 1 ? 0 : UINT64_MAX / static_cast<std::uint64_t>(divisor) + 1) {}

  BREAKEVEN_HOST_DEVICE std::int64_t quotient(std::int64_t n) const {
    const auto unsigned_n = static_cast<std::uint64_t>(n);
    return static_cast<std::int64_t>(reciprocal_ == 0 ? unsigned_n : high_half(unsigned_n, reciprocal_));
  }
  BREAKEVEN_HOST_DEVICE std::int64_t product(std::int64_t factor) const {
    return factor * static_cast<std::int64_t>(divisor_);
  }
  BREAKEVEN_HOST_DEVICE std::int64_t remainder(std::int64_t n, std::int64_t quotient_of_n) const {
    return n - product(quotient_of_n);
  }
  BREAKEVEN_HOST_DEVICE std::int64_t remainder(std::int64_t n) const { return remainder(n, quotient(n)); }

 private:
  /// The upper 64 bits of the 128-bit product.
  BREAKEVEN_HOST_DEVICE static std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64U);
#endif
  }

  std::uint64_t divisor_ = 1;
  std::uint64_t reciprocal_ = 0;  // 2^64 / divisor, rounded up; 0 for the divisor 1
};

}  // namespace breakeven::cuda
