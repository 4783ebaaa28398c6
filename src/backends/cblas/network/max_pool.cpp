#include <algorithm>
#include <limits>

#include "backends/cblas/network/image_layer.h"
#include "worker/vectorised.h"

namespace breakeven::cblas {
namespace {

/// Computes one row of results: the largest of each 2 x 2 square in each channel, and which of the four it
/// was; of equal ones the first. `upper` and `lower` are the two source rows. With `relu`, there is no winner
/// if the largest is 0, because ReLU passes no gradient there.
BREAKEVEN_VECTORISED void pool_row(const float* __restrict upper, const float* __restrict lower,
                                   std::int64_t squares, std::int64_t channels, bool relu,
                                   float* __restrict largest, std::int32_t* __restrict winner) {
  const float floor = relu ? 0.0F : -std::numeric_limits<float>::infinity();
  for (std::int64_t q = 0; q < squares; ++q) {
    const std::int64_t left = 2 * q * channels;
    const std::int64_t right = left + channels;
    for (std::int64_t i = 0; i < channels; ++i) {
      const float a = upper[left + i];
      const float b = upper[right + i];
      const float c = lower[left + i];
      const float d = lower[right + i];
      const float above = b > a ? b : a;
      const float below = d > c ? d : c;
      const float best = below > above ? below : above;
      const std::int32_t which_above = b > a ? 1 : 0;
      const std::int32_t which_below = d > c ? 3 : 2;
      const std::int32_t which = below > above ? which_below : which_above;
      largest[q * channels + i] = best;
      winner[q * channels + i] = best > floor ? which : -1;
    }
  }
}

/// Passes the gradient of one row of squares to the winner of each; the others get 0.
BREAKEVEN_VECTORISED void hand_to_winners(const float* __restrict gradient,
                                          const std::int32_t* __restrict winner, std::int64_t squares,
                                          std::int64_t channels, float* __restrict upper,
                                          float* __restrict lower) {
  for (std::int64_t q = 0; q < squares; ++q) {
    const std::int64_t left = 2 * q * channels;
    const std::int64_t right = left + channels;
    for (std::int64_t i = 0; i < channels; ++i) {
      const float g = gradient[q * channels + i];
      const std::int32_t which = winner[q * channels + i];
      upper[left + i] = which == 0 ? g : 0;
      upper[right + i] = which == 1 ? g : 0;
      lower[left + i] = which == 2 ? g : 0;
      lower[right + i] = which == 3 ? g : 0;
    }
  }
}

/// Max-pooling. It stores the winners, so that its input need not be kept.
class MaxPool final : public ImageLayer {
 public:
  explicit MaxPool(const LayerTask& task)
      : ImageLayer(task), winners_(task.batch * task.layer.output_elements()) {}

  void forward(Images images, const float* input, float* output, int) override {
    for_rows(images, [&](std::int64_t result, std::int64_t source) {
      pool_row(input + source, input + source + row(), l_.q, l_.c, input_is_relu_, output + result,
               winners_.data() + images.first * l_.output_elements() + result);
    });
  }

  void backward(Images images, const float*, float* gradient, float* input_gradient, int) override {
    if (input_gradient == nullptr) return;
    if (l_.h % 2 != 0 || l_.w % 2 != 0)  // the last row or column is in no square
      std::fill(input_gradient, input_gradient + images.count * l_.input_elements(), 0.0F);
    for_rows(images, [&](std::int64_t result, std::int64_t source) {
      hand_to_winners(gradient + result, winners_.data() + images.first * l_.output_elements() + result, l_.q,
                      l_.c, input_gradient + source, input_gradient + source + row());
    });
  }

  bool needs_input() const override { return false; }

 private:
  std::int64_t row() const { return l_.w * l_.c; }

  /// Calls visit(result, source) for each row of results, with the first element of that row and of the first
  /// source row it reads.
  template <typename Visit>
  void for_rows(Images images, const Visit& visit) const {
    for (std::int64_t image = 0; image < images.count; ++image) {
      for (std::int64_t p = 0; p < l_.p; ++p)
        visit((image * l_.p + p) * l_.q * l_.c, (image * l_.h + 2 * p) * row());
    }
  }

  Buffer<std::int32_t> winners_;
};

const Layers::Registration max_pool_layer(LayerKind::max_pool, Layers::make_one<MaxPool>);

}  // namespace
}  // namespace breakeven::cblas
