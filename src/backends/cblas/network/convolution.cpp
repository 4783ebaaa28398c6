// Convolution with channels last. One result position reads a few runs of memory, so writing them out as a
// row of a matrix is fast; a block of rows is multiplied by the filters while it is in the cache.
#include <algorithm>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/image_layer.h"
#include "network/row_kernels.h"
#include "worker/vectorised.h"

namespace breakeven::cblas {
namespace {

/// Copies, or adds, `runs` runs of `count` values. In each of the two memories they are `step` apart.
BREAKEVEN_VECTORISED void copy_runs(const float* __restrict from, std::int64_t from_step,
                                    float* __restrict to, std::int64_t to_step, std::int64_t runs,
                                    std::int64_t count) {
  for (std::int64_t run = 0; run < runs; ++run) {
    for (std::int64_t i = 0; i < count; ++i) to[run * to_step + i] = from[run * from_step + i];
  }
}
BREAKEVEN_VECTORISED void add_runs(const float* from, std::int64_t from_step, float* to, std::int64_t to_step,
                                   std::int64_t runs, std::int64_t count) {
  for (std::int64_t run = 0; run < runs; ++run) {
    const float* __restrict source = from + run * from_step;
    float* __restrict sum = to + run * to_step;
    for (std::int64_t i = 0; i < count; ++i) sum[i] += source[i];
  }
}

class ColumnConvolution final : public ImageLayer {
 public:
  explicit ColumnConvolution(const LayerTask& task) : ImageLayer(task) {
    constexpr std::int64_t block_bytes = 400 << 10;
    const std::int64_t row_bytes = l_.q * terms() * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t fit = std::clamp<std::int64_t>(block_bytes / row_bytes, 1, l_.p);
    const std::int64_t blocks = (l_.p + fit - 1) / fit;
    block_rows_ = (l_.p + blocks - 1) / blocks;
    room_ = block_rows_ * l_.q * terms();
    matrices_ = Buffer<float>(task.threads * room_);
  }

  void forward(Images images, const float* input, float* output, int thread) override {
    float* matrix = matrices_.data() + thread * room_;
    for_blocks(images, [&](std::int64_t image, std::int64_t row, std::int64_t rows) {
      fill(input + image * l_.input_elements(), row, rows, matrix);
      float* y = output + image * l_.output_elements() + row * l_.q * l_.k;
      gemm(rows * l_.q, l_.k, terms(), Matrix<float>{matrix, terms()},
           Matrix<float>{parameters_.values(*l_.weights), terms(), true}, 0.0F, y, l_.k);
      add_bias(y, l_.k, rows * l_.q, l_.k, parameters_.values(*l_.bias), l_.activation == Activation::relu);
    });
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    float* matrix = matrices_.data() + thread * room_;
    float* weights_gradient = parameters_.gradient(*l_.weights, thread);
    if (input_gradient != nullptr)
      std::fill(input_gradient, input_gradient + images.count * l_.input_elements(), 0.0F);
    for_blocks(images, [&](std::int64_t image, std::int64_t row, std::int64_t rows) {
      const float* x = input + image * l_.input_elements();
      const float* dy = gradient + image * l_.output_elements() + row * l_.q * l_.k;
      const std::int64_t positions = rows * l_.q;
      add_rows(dy, l_.k, positions, l_.k, parameters_.gradient(*l_.bias, thread));
      fill(x, row, rows, matrix);
      gemm(l_.k, terms(), positions, Matrix<float>{dy, l_.k, true}, Matrix<float>{matrix, terms()}, 1.0F,
           weights_gradient, terms());
      if (input_gradient == nullptr) return;
      gemm(positions, terms(), l_.k, Matrix<float>{dy, l_.k},
           Matrix<float>{parameters_.values(*l_.weights), terms()}, 0.0F, matrix, terms());
      add(matrix, row, rows, input_gradient + image * l_.input_elements());
    });
    if (input_gradient != nullptr && input_is_relu_)
      keep_where_positive(input, input_gradient, images.count * l_.input_elements());
  }

 private:
  std::int64_t terms() const { return l_.c * l_.filter * l_.filter; }

  template <typename Block>
  void for_blocks(Images images, const Block& block) const {
    for (std::int64_t image = 0; image < images.count; ++image) {
      for (std::int64_t row = 0; row < l_.p; row += block_rows_)
        block(image, row, std::min(block_rows_, l_.p - row));
    }
  }

  /// Calls runs(column, source, runs, count) for the values that the results of a block read: `runs`
  /// consecutive rows of the matrix contain, from element `column`, `count` values each. The first run begins
  /// at element `source` of the image, each next one a pixel further.
  template <typename Runs>
  void for_runs(std::int64_t row, std::int64_t rows, const Runs& runs) const {
    // The results in a row that read whole rows of the filter, and those left and right of them that reach
    // outside.
    const std::int64_t whole_first = std::min(l_.pad, l_.q);
    const std::int64_t whole_last = std::clamp(l_.w - l_.filter + l_.pad + 1, whole_first, l_.q);
    for (std::int64_t y = row; y < row + rows; ++y) {
      for (std::int64_t r = 0; r < l_.filter; ++r) {
        const std::int64_t source_row = y - l_.pad + r;
        if (source_row < 0 || source_row >= l_.h) continue;
        const auto some = [&](std::int64_t x, std::int64_t number) {
          const std::int64_t left = x - l_.pad;
          const std::int64_t first = std::max<std::int64_t>(0, -left);
          const std::int64_t last = std::min(l_.filter, l_.w - left);
          runs(((y - row) * l_.q + x) * terms() + (r * l_.filter + first) * l_.c,
               (source_row * l_.w + left + first) * l_.c, number, (last - first) * l_.c);
        };
        for (std::int64_t x = 0; x < whole_first; ++x) some(x, 1);
        if (whole_last > whole_first) some(whole_first, whole_last - whole_first);
        for (std::int64_t x = whole_last; x < l_.q; ++x) some(x, 1);
      }
    }
  }

  void fill(const float* image, std::int64_t row, std::int64_t rows, float* matrix) const {
    if (l_.pad > 0) std::fill(matrix, matrix + rows * l_.q * terms(), 0.0F);
    for_runs(row, rows, [&](std::int64_t column, std::int64_t source, std::int64_t runs, std::int64_t count) {
      copy_runs(image + source, l_.c, matrix + column, terms(), runs, count);
    });
  }

  void add(const float* matrix, std::int64_t row, std::int64_t rows, float* image) const {
    for_runs(row, rows, [&](std::int64_t column, std::int64_t source, std::int64_t runs, std::int64_t count) {
      add_runs(matrix + column, terms(), image + source, l_.c, runs, count);
    });
  }

  std::int64_t block_rows_ = 0, room_ = 0;
  Buffer<float> matrices_;
};

std::unique_ptr<ImageLayer> make_convolution(const LayerTask& task) {
  if (auto by_tiles = make_winograd_convolution(task)) return by_tiles;
  return std::make_unique<ColumnConvolution>(task);
}

const Layers::Registration conv2d_layer(LayerKind::conv2d, make_convolution);

}  // namespace
}  // namespace breakeven::cblas
