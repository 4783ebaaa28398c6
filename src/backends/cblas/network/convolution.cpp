// Convolution with channels last: what one result position sees is a few runs of memory, so that writing it
// out as a row of a matrix is quick, and a block of rows is multiplied by the filters while it is in the
// cache.
#include <algorithm>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/elementwise.h"
#include "backends/cblas/network/image_layer.h"

namespace breakeven::cblas {
namespace {

class Convolution final : public ImageLayer {
 public:
  explicit Convolution(const LayerTask& task)
      : l_(task.layer), input_is_relu_(task.input_is_relu), parameters_(task.parameters) {
    constexpr std::int64_t block_bytes = 256 << 10;
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

  /// Calls run(source, count) for every run of values that the result rows see, in the order of the matrix:
  /// `count` values from element `source` of the image on, or zeros where that is negative.
  template <typename Run>
  void for_runs(std::int64_t row, std::int64_t rows, const Run& run) const {
    for (std::int64_t y = row; y < row + rows; ++y) {
      for (std::int64_t x = 0; x < l_.q; ++x) {
        const std::int64_t left = x - l_.pad;
        const std::int64_t first = std::max<std::int64_t>(0, -left);
        const std::int64_t last = std::min(l_.filter, l_.w - left);
        for (std::int64_t r = 0; r < l_.filter; ++r) {
          const std::int64_t source_row = y - l_.pad + r;
          if (source_row < 0 || source_row >= l_.h) {
            run(-1, l_.filter * l_.c);
            continue;
          }
          if (first > 0) run(-1, first * l_.c);
          run((source_row * l_.w + left + first) * l_.c, (last - first) * l_.c);
          if (last < l_.filter) run(-1, (l_.filter - last) * l_.c);
        }
      }
    }
  }

  void fill(const float* image, std::int64_t row, std::int64_t rows, float* matrix) const {
    for_runs(row, rows, [&](std::int64_t source, std::int64_t count) {
      if (source < 0) {
        std::fill(matrix, matrix + count, 0.0F);
      } else {
        for (std::int64_t i = 0; i < count; ++i) matrix[i] = image[source + i];
      }
      matrix += count;
    });
  }

  void add(const float* matrix, std::int64_t row, std::int64_t rows, float* image) const {
    for_runs(row, rows, [&](std::int64_t source, std::int64_t count) {
      if (source >= 0) {
        for (std::int64_t i = 0; i < count; ++i) image[source + i] += matrix[i];
      }
      matrix += count;
    });
  }

  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
  std::int64_t block_rows_ = 0, room_ = 0;
  Buffer<float> matrices_;
};

}  // namespace

std::unique_ptr<ImageLayer> make_convolution(const LayerTask& task) {
  return std::make_unique<Convolution>(task);
}

}  // namespace breakeven::cblas
