// Where the tiles of a convolution lie in its images, which are held with their channels last: rows x columns
// x channels, one image behind the other.
#pragma once

#include <array>
#include <cstdint>

#include "backends/cblas/winograd_transforms.h"
#include "workloads/buffer.h"

namespace breakeven::cblas {

/// `count` tiles from `first` on, counted through all images. In their planes, tiles x channels, there is
/// room for `room` tiles.
struct TileBlock {
  std::int64_t first = 0, count = 0, room = 0;
};

/// Some neighbouring channels of images that have `of` channels: `data` is the first of them in image 0.
template <typename T>
struct ImageChannels {
  T* data = nullptr;
  std::int64_t count = 0, of = 0;
};

/// The convolution from images of h x w to results of p x q, in tiles of 2 x 2 results.
class WinogradTiles {
 public:
  struct Size {
    std::int64_t h = 0, w = 0, pad_h = 0, pad_w = 0, p = 0, q = 0;
  };
  /// `channels`: the most that an image or result has.
  WinogradTiles(const Winograd& winograd, const Size& size, std::int64_t channels);

  std::int64_t per_image() const { return down_ * across_; }

  /// Images to results, by the transformed filters: planes of channels x filters, one behind the other; of
  /// stride 1, `turned` takes those of the filters turned by half a turn. `workspace` has room for the planes
  /// of block.room tiles of the images, and for those of the results.
  void convolve(TileBlock block, ImageChannels<const float> images, const float* filters, bool turned,
                ImageChannels<float> results, float* workspace) const;

  /// Images to planes.
  void source(TileBlock block, ImageChannels<const float> images, float* planes) const;
  /// Gradients of results to planes.
  void result_gradient(TileBlock block, ImageChannels<const float> gradients, float* planes) const;

 private:
  /// Planes to results.
  void result(TileBlock block, const float* planes, ImageChannels<float> results) const;

  struct Place {
    std::int64_t image, y, x;  // y and x of the tile's first result
  };
  Place place_of(std::int64_t tile) const;
  /// The 2 x 2 pixels of a tile's results; `outside` for those that lie there.
  template <typename T>
  std::array<T*, 4> result_pixels(std::int64_t tile, ImageChannels<T> results, T* outside) const;

  const Winograd& winograd_;
  Size size_;
  std::int64_t down_, across_;  // tiles of an image
  Buffer<float> zeros_;         // what lies outside
};

/// `filters` x 3 x 3 x `channels` to planes of filters x channels; of all filters, those in [first, last).
void transform_filters(const Winograd& winograd, const float* filters, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* planes);
/// The same filters' planes turned to channels x filters: libraries read the second operand of a product
/// faster as it is than transposed.
void transpose_filters(const Winograd& winograd, const float* planes, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* transposed);

}  // namespace breakeven::cblas
