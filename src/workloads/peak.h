// What a device's arithmetic gives where nothing else limits: multiply-adds on operands that stay in
// registers.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// `dots` dot products of the same two vectors of 64 bytes, side by side, `steps` times, all added up. As
/// everything is the same, any device can use the registers, accumulators and matrix shapes that it has.
struct Peak {
  std::int64_t dots = 0, steps = 0;
  Dtype dtype = Dtype::f32;
  bool tuned = true;  // by a race among the units that a device has

  explicit Peak(const Parameters& parameters);
  /// Elements of a vector.
  std::int64_t length() const { return vector_bytes / static_cast<std::int64_t>(facts(dtype).bytes); }

  /// How many steps go into one accumulator before it is emptied. Few of f8e4m3: tensor cores shift its
  /// products to the size of the sum, with 13 bits of fraction, and cut off the rest (DeepSeek-V3 Technical
  /// Report, section 3.5.2).
  std::int64_t accumulated_steps() const;

  static constexpr std::int64_t vector_bytes = 64;
  /// What `dots` must be a multiple of, so that it comes out even for all numbers of accumulators: 12 x 256.
  static constexpr std::int64_t granule = 3072;
};

}  // namespace breakeven
