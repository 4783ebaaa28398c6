// Max-pooling of 2 x 2 squares, stride 2, channels last; an odd last row or column is left out. Images with
// channels first are treated as more images with one channel.
#pragma once

#include <cstdint>

#include "backends/cuda/kernels/arrays.h"
#include "backends/cuda/kernels/fast_division.h"
#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

struct PoolShape {
  std::int64_t channels, height, width;  // of one input image

  std::int64_t output_elements() const { return height / 2 * (width / 2) * channels; }
  /// Work items for the gradient: squares with at least one pixel in the image, times channels.
  std::int64_t gradient_items() const { return (height + 1) / 2 * ((width + 1) / 2) * channels; }
};

/// The squares of a batch, `count` channels of one square at a time, in the order of channels, columns, rows,
/// images.
template <int count>
class Squares {
 public:
  /// `whole`: only squares that are inside the image; else all that have a pixel in it.
  Squares(const PoolShape& shape, bool whole)
      : shape_(shape),
        packs_(shape.channels / count),
        columns_((shape.width + (whole ? 0 : 1)) / 2),
        rows_((shape.height + (whole ? 0 : 1)) / 2) {}

  struct Square {
    std::int64_t first = 0;   // index of its first pixel in the input batch
    std::int64_t output = 0;  // index in the output batch; only if the square is whole
    bool two_rows = true, two_columns = true;

    BREAKEVEN_HOST_DEVICE bool whole() const { return two_rows && two_columns; }
  };

  BREAKEVEN_HOST_DEVICE Square square(std::int64_t item) const {
    const std::int64_t behind_channels = packs_.quotient(item);
    const std::int64_t behind_columns = columns_.quotient(behind_channels);
    const std::int64_t image = rows_.quotient(behind_columns);
    const std::int64_t channel = count * packs_.remainder(item, behind_channels);
    const std::int64_t column = columns_.remainder(behind_channels, behind_columns);
    const std::int64_t row = rows_.remainder(behind_columns, image);
    Square square;
    square.first =
        ((image * shape_.height + 2 * row) * shape_.width + 2 * column) * shape_.channels + channel;
    square.output =
        ((image * (shape_.height / 2) + row) * (shape_.width / 2) + column) * shape_.channels + channel;
    square.two_rows = 2 * row + 1 < shape_.height;
    square.two_columns = 2 * column + 1 < shape_.width;
    return square;
  }

  /// The distance from a square's first pixel to its pixel number `pixel`, row by row.
  BREAKEVEN_HOST_DEVICE std::int64_t offset(int pixel) const {
    return (pixel / 2 * shape_.width + pixel % 2) * shape_.channels;
  }

 private:
  PoolShape shape_;
  Divisor packs_, columns_, rows_;
};

inline constexpr int square_pixels = 4;

/// The pixels of a whole square.
template <int count, typename T>
struct SquarePixels {
  Pack<T, count> of[square_pixels];

  BREAKEVEN_HOST_DEVICE SquarePixels(const Squares<count>& squares, const T* first) {
    for (int pixel = 0; pixel < square_pixels; ++pixel)
      of[pixel] = load_pack<count>(first + squares.offset(pixel));
  }

  /// The index of the largest pixel of a channel; of equal ones the first, row by row. With `positive`, -1 if
  /// it is not positive.
  BREAKEVEN_HOST_DEVICE int receiver(int channel, bool positive) const {
    int best = 0;
    float most = Number<T>::load(of[0].values[channel]);
    BREAKEVEN_UNROLL(4)
    for (int pixel = 1; pixel < square_pixels; ++pixel) {
      const float value = Number<T>::load(of[pixel].values[channel]);
      best = value > most ? pixel : best;
      most = value > most ? value : most;
    }
    return positive && !(most > 0.0F) ? -1 : best;
  }
};

/// Computes `count` output elements of the batch, starting at count * item.
template <int count, typename T>
BREAKEVEN_HOST_DEVICE void pool(const Squares<count>& squares, const T* images, T* output,
                                std::int64_t item) {
  const SquarePixels<count, T> pixels(squares, images + squares.square(item).first);
  Pack<T, count> largest;
  for (int channel = 0; channel < count; ++channel) {
    T value = pixels.of[0].values[channel];
    for (int pixel = 1; pixel < square_pixels; ++pixel) {
      if (Number<T>::load(pixels.of[pixel].values[channel]) > Number<T>::load(value))
        value = pixels.of[pixel].values[channel];
    }
    largest.values[channel] = value;
  }
  store_pack(largest, output + item * count);
}

/// Computes the gradient of all pixels in square `item` of gradient_items() / count per image. With
/// `of_relu`, the images are outputs of ReLU, and its gradient is applied: the largest value passes a
/// gradient only if it is positive.
template <int count, typename T>
BREAKEVEN_HOST_DEVICE void pool_gradient(const Squares<count>& squares, const T* images,
                                         const T* output_gradient, T* gradient, bool of_relu,
                                         std::int64_t item) {
  const auto square = squares.square(item);
  Pack<T, count> arriving{};
  int receivers[count];  // one pixel per channel, or -1
  BREAKEVEN_UNROLL(8)
  for (int& receiver : receivers) receiver = -1;
  if (square.whole()) {
    const SquarePixels<count, T> pixels(squares, images + square.first);
    arriving = load_pack<count>(output_gradient + square.output);
    BREAKEVEN_UNROLL(8)
    for (int channel = 0; channel < count; ++channel) receivers[channel] = pixels.receiver(channel, of_relu);
  }
  BREAKEVEN_UNROLL(4)
  for (int pixel = 0; pixel < square_pixels; ++pixel) {
    const bool exists = (pixel < 2 || square.two_rows) && (pixel % 2 == 0 || square.two_columns);
    Pack<T, count> passed;
    BREAKEVEN_UNROLL(8)
    for (int channel = 0; channel < count; ++channel) {
      passed.values[channel] =
          receivers[channel] == pixel ? arriving.values[channel] : Number<T>::store(0.0F);
    }
    if (exists) store_pack(passed, gradient + square.first + squares.offset(pixel));
  }
}

}  // namespace breakeven::cuda
