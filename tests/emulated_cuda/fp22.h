// Sums of 8-bit floats as in the tensor cores of compute capability 8.9 and 9.0.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace emulated {

/// Adds products to a sum. All addends are shifted to the exponent of the largest, with 13 bits of fraction;
/// the remaining bits are truncated, downwards (DeepSeek-V3 Technical Report, section 3.5.2; SageAttention's
/// issue 287 calls the type FP22).
inline double add_fp22(double sum, std::span<const double> products) {
  double largest = std::abs(sum);
  for (const double product : products) largest = std::max(largest, std::abs(product));
  if (largest == 0) return 0;
  const auto last_bit_of = [](double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1, exponent - 1 - 13);
  };
  const double last_bit = last_bit_of(largest);
  double all = std::floor(sum / last_bit);
  for (const double product : products) all += std::floor(product / last_bit);
  if (all == 0) return 0;
  const double last_bit_of_sum = last_bit_of(all);
  return std::floor(all / last_bit_of_sum) * last_bit_of_sum * last_bit;
}

}  // namespace emulated
