// Winograd's algorithm: convolutions by 3 x 3 filters with fewer multiplications (Winograd, Arithmetic
// Complexity of Computations, 1980; Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR
// 2016).
#pragma once

#include <cstdint>

namespace breakeven::cblas {

/// Channels that are transformed together. Numbers of channels must be multiples of it.
inline constexpr std::int64_t winograd_lanes = 8;

/// The transforms of one tile of 2 x 2 results of a convolution by 3 x 3 filters. Between them, each of the
/// `products` planes is multiplied separately: a tile's channels by that plane's matrix, filters x channels.
/// Planes are `plane` elements apart; `pixels` and `taps` are pointers to runs of `channels` elements, in row
/// order of the tile or filter.
struct Winograd {
  std::int64_t stride;    // of the convolution, in both directions
  std::int64_t side;      // a tile reads side x side elements of the source
  std::int64_t products;  // planes of the transformed tile

  /// Transforms side x side pixels to planes.
  void (*source)(const float* const* pixels, std::int64_t channels, float* to, std::int64_t plane);
  /// Transforms 3 x 3 taps to planes.
  void (*filter)(const float* const* taps, std::int64_t channels, float* to, std::int64_t plane);
  /// Transforms planes to 2 x 2 pixels. Null pixels are skipped.
  void (*result)(const float* from, std::int64_t plane, std::int64_t channels, float* const* pixels);

  /// The transposes of the last two. With them, the gradient of the filters is in each plane the product of
  /// the transformed gradients of results and the transformed tiles of the source, summed over all tiles;
  /// filter_gradient() then adds it to 3 x 3 taps.
  void (*result_gradient)(const float* const* pixels, std::int64_t channels, float* to, std::int64_t plane);
  void (*filter_gradient)(const float* from, std::int64_t plane, std::int64_t channels, float* const* taps);
};

/// The transforms for stride 1 (16 products where a direct convolution has 36) or 2 (25 of 36); null for
/// others.
const Winograd* winograd_for(std::int64_t stride);

}  // namespace breakeven::cblas
