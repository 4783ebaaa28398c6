// The peak rate of a device's arithmetic: multiply-adds on operands that stay in registers.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// `dots` dot products of the same two vectors of 64 bytes, side by side, `steps` times, all added up.
/// Because all of them are equal, every device can use the registers, accumulators and matrix shapes that it
/// has.
struct Peak {
  std::int64_t dots = 0, steps = 0;
  Dtype dtype = Dtype::f32;
  bool tuned = true;  // by timing the units that a device has

  explicit Peak(const Parameters& parameters);
  /// The number of elements of a vector.
  std::int64_t length() const { return vector_bytes / static_cast<std::int64_t>(facts(dtype).bytes()); }

  /// The number of steps that go into one accumulator before it is emptied. It is small for f8e4m3: tensor
  /// cores shift its products to the size of the sum, with 13 bits of fraction, and cut off the rest
  /// (DeepSeek-V3 Technical Report, section 3.5.2).
  std::int64_t accumulated_steps() const;

  static constexpr std::int64_t vector_bytes = 64;
  /// `dots` must be a multiple of this, so that every backend can divide it evenly among its accumulators:
  /// 12 x 256.
  static constexpr std::int64_t granule = 3072;
};

}  // namespace breakeven
