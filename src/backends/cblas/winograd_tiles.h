// Transforms the tiles of a convolution's images. Images are stored with their channels last: rows x columns
// x channels, one image after another.
#pragma once

#include <array>
#include <cstdint>

#include "backends/cblas/winograd_transforms.h"
#include "workloads/buffer.h"

namespace breakeven::cblas {

/// `count` tiles, starting with `first`, numbered through all images. Their planes, tiles x channels, have
/// room for `room` tiles.
struct TileBlock {
  std::int64_t first = 0, count = 0, room = 0;
};

/// `count` neighbouring channels of images that have `of` channels. `data` points to the first of them in
/// image 0.
template <typename T>
struct ImageChannels {
  T* data = nullptr;
  std::int64_t count = 0, of = 0;
};

/// A convolution of images of h x w with results of p x q, in tiles of 2 x 2 results.
class WinogradTiles {
 public:
  struct Size {
    std::int64_t h = 0, w = 0, pad_h = 0, pad_w = 0, p = 0, q = 0;
  };
  /// `channels`: the largest number of channels that an image or result has.
  WinogradTiles(const Winograd& winograd, const Size& size, std::int64_t channels);

  std::int64_t per_image() const { return down_ * across_; }

  /// Convolves images with transformed filters, stored contiguously as planes of channels x filters. `turned`
  /// uses the filters rotated by 180 degrees, for stride 1 only. `workspace` has room for the planes of
  /// block.room tiles of the images and of the results.
  void convolve(TileBlock block, ImageChannels<const float> images, const float* filters, bool turned,
                ImageChannels<float> results, float* workspace) const;

  /// Transforms images to planes.
  void source(TileBlock block, ImageChannels<const float> images, float* planes) const;
  /// Transforms gradients of results to planes.
  void result_gradient(TileBlock block, ImageChannels<const float> gradients, float* planes) const;

 private:
  /// Transforms planes to results.
  void result(TileBlock block, const float* planes, ImageChannels<float> results) const;

  struct Place {
    std::int64_t image, y, x;  // y and x of the tile's first result
  };
  Place place_of(std::int64_t tile) const;
  /// Pointers to the 2 x 2 pixels of a tile's results; `outside` for those outside the image.
  template <typename T>
  std::array<T*, 4> result_pixels(std::int64_t tile, ImageChannels<T> results, T* outside) const;

  const Winograd& winograd_;
  Size size_;
  std::int64_t down_, across_;  // tiles per image
  Buffer<float> zeros_;         // used for pixels outside the image
};

/// Transforms the filters in [first, last) from `filters` x 3 x 3 x `channels` to planes of filters x
/// channels.
void transform_filters(const Winograd& winograd, const float* filters, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* planes);
/// Transposes the planes of these filters to channels x filters, because libraries read the second operand of
/// a product faster if it is not transposed.
void transpose_filters(const Winograd& winograd, const float* planes, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* transposed);

}  // namespace breakeven::cblas
