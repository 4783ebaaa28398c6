// Minimal filtering: convolutions by 3 x 3 filters with fewer multiplications (Winograd, Arithmetic
// Complexity of Computations, 1980; Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR
// 2016).
#pragma once

#include <cstdint>

namespace breakeven::cblas {

/// Channels that are transformed together: a multiple of them is needed.
inline constexpr std::int64_t winograd_lanes = 8;

/// The transforms of one tile of 2 x 2 results of a convolution by 3 x 3 filters. Between them, each of the
/// `products` planes is multiplied on its own: a tile's channels by that plane's matrix, channels x filters.
/// All pointers are to runs of channels, one behind the other in memory.
struct Winograd {
  std::int64_t stride;    // of the convolution, in both directions
  std::int64_t side;      // a tile sees side x side elements of the source
  std::int64_t products;  // planes of the transformed tile

  /// `pixels`: side x side runs of `channels` elements. Plane i of the result goes to to + i * plane.
  void (*source)(const float* const* pixels, std::int64_t channels, float* to, std::int64_t plane);
  /// `filter`: the 3 x 3 values of one channel of one filter. Value i of the result goes to to + i * plane.
  void (*filter)(const float* filter, float* to, std::int64_t plane);
  /// The reverse: plane i is at from + i * plane, the 2 x 2 results go to `pixels`, except where that is
  /// null.
  void (*result)(const float* from, std::int64_t plane, std::int64_t channels, float* const* pixels);
};

/// For stride 1 (16 products where a direct convolution has 36) or 2 (25 of 36); null for others.
const Winograd* winograd_for(std::int64_t stride);

}  // namespace breakeven::cblas
