// Max-pooling of 2 x 2 squares, stride 2, channels last; an odd last row or column is left out.
#pragma once

#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

struct PoolShape {
  std::int64_t channels, height, width;  // of one image read

  BREAKEVEN_HOST_DEVICE std::int64_t output_elements() const { return height / 2 * (width / 2) * channels; }
  /// Squares with at least one pixel in the image, times channels: what the gradient is written by.
  BREAKEVEN_HOST_DEVICE std::int64_t gradient_items() const {
    return (height + 1) / 2 * ((width + 1) / 2) * channels;
  }
};

/// One square of one channel: where its first pixel is, and whether it lies inside the image.
struct Square {
  std::int64_t first = 0;   // element of the batch read
  std::int64_t output = 0;  // element of the batch written; only where it is whole
  bool two_rows = true, two_columns = true;

  BREAKEVEN_HOST_DEVICE bool whole() const { return two_rows && two_columns; }
};

/// Square `item` of those counted as channel, column, row, image, with `rows` x `columns` squares an image.
BREAKEVEN_HOST_DEVICE inline Square square_of(const PoolShape& shape, std::int64_t rows, std::int64_t columns,
                                              std::int64_t item) {
  const std::int64_t channel = item % shape.channels;
  const std::int64_t column = item / shape.channels % columns;
  const std::int64_t row = item / (shape.channels * columns) % rows;
  const std::int64_t image = item / (shape.channels * columns * rows);
  Square square;
  square.first = ((image * shape.height + 2 * row) * shape.width + 2 * column) * shape.channels + channel;
  square.output =
      ((image * (shape.height / 2) + row) * (shape.width / 2) + column) * shape.channels + channel;
  square.two_rows = 2 * row + 1 < shape.height;
  square.two_columns = 2 * column + 1 < shape.width;
  return square;
}

/// Element of the batch that is largest in a whole square; of equal ones the first, row by row.
template <typename T>
BREAKEVEN_HOST_DEVICE std::int64_t largest_of_square(const PoolShape& shape, const T* images,
                                                     std::int64_t first) {
  const std::int64_t down = shape.width * shape.channels;
  std::int64_t best = first;
  const std::int64_t others[] = {first + shape.channels, first + down, first + down + shape.channels};
  for (const std::int64_t other : others) {
    if (Number<T>::load(images[other]) > Number<T>::load(images[best])) best = other;
  }
  return best;
}

/// Output element `item` of the batch.
template <typename T>
BREAKEVEN_HOST_DEVICE void pool(const PoolShape& shape, const T* images, T* output, std::int64_t item) {
  const Square square = square_of(shape, shape.height / 2, shape.width / 2, item);
  output[item] = images[largest_of_square(shape, images, square.first)];
}

/// The gradient of all pixels in square `item` of gradient_items() an image. With `of_relu`, the images are
/// results of ReLU, and its slope is applied: the largest value passes a gradient if it is positive itself.
template <typename T>
BREAKEVEN_HOST_DEVICE void pool_gradient(const PoolShape& shape, const T* images, const T* output_gradient,
                                         T* gradient, bool of_relu, std::int64_t item) {
  const Square square = square_of(shape, (shape.height + 1) / 2, (shape.width + 1) / 2, item);
  std::int64_t receiver = -1;
  if (square.whole()) {
    receiver = largest_of_square(shape, images, square.first);
    if (of_relu && !(Number<T>::load(images[receiver]) > 0.0F)) receiver = -1;
  }
  for (int row = 0; row < (square.two_rows ? 2 : 1); ++row) {
    for (int column = 0; column < (square.two_columns ? 2 : 1); ++column) {
      const std::int64_t pixel = square.first + (row * shape.width + column) * shape.channels;
      gradient[pixel] = pixel == receiver ? output_gradient[square.output] : Number<T>::store(0.0F);
    }
  }
}

}  // namespace breakeven::cuda
