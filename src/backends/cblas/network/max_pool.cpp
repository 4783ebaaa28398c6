#include <algorithm>
#include <array>

#include "backends/cblas/network/image_layer.h"
#include "backends/cblas/vector.h"

namespace breakeven::cblas {
namespace {

/// The largest of four values in each channel and which one that was; of equal ones the first.
BREAKEVEN_VECTORISED void largest_of_four(const float* a, const float* b, const float* c, const float* d,
                                          std::int64_t channels, float* largest, std::int32_t* winner) {
  for (std::int64_t i = 0; i < channels; ++i) {
    float best = a[i];
    std::int32_t which = 0;
    which = b[i] > best ? 1 : which;
    best = b[i] > best ? b[i] : best;
    which = c[i] > best ? 2 : which;
    best = c[i] > best ? c[i] : best;
    which = d[i] > best ? 3 : which;
    best = d[i] > best ? d[i] : best;
    largest[i] = best;
    winner[i] = which;
  }
}

BREAKEVEN_VECTORISED void hand_to_winner(const float* gradient, const std::int32_t* winner,
                                         std::int32_t which, std::int64_t channels, float* to) {
  for (std::int64_t i = 0; i < channels; ++i) to[i] = winner[i] == which ? gradient[i] : 0;
}

/// Remembers the winners, so that what it reads need not be kept.
class MaxPool final : public ImageLayer {
 public:
  explicit MaxPool(const LayerTask& task)
      : l_(task.layer),
        input_is_relu_(task.input_is_relu),
        winners_(task.batch * task.layer.output_elements()) {}

  void forward(Images images, const float* input, float* output, int) override {
    for_squares(images, [&](const Square& s) {
      std::int32_t* winner = winners_.data() + images.first * l_.output_elements() + s.result;
      largest_of_four(input + s.corners[0], input + s.corners[1], input + s.corners[2], input + s.corners[3],
                      l_.c, output + s.result, winner);
      if (!input_is_relu_) return;
      // ReLU passes no gradient where its result is 0: then nobody has won.
      for (std::int64_t c = 0; c < l_.c; ++c) winner[c] = output[s.result + c] > 0 ? winner[c] : -1;
    });
  }

  void backward(Images images, const float*, float* gradient, float* input_gradient, int) override {
    if (input_gradient == nullptr) return;
    if (l_.h % 2 != 0 || l_.w % 2 != 0)  // the last row or column is in no square
      std::fill(input_gradient, input_gradient + images.count * l_.input_elements(), 0.0F);
    for_squares(images, [&](const Square& s) {
      const std::int32_t* winner = winners_.data() + images.first * l_.output_elements() + s.result;
      for (std::int32_t i = 0; i < 4; ++i) {
        hand_to_winner(gradient + s.result, winner, i, l_.c,
                       input_gradient + s.corners[static_cast<std::size_t>(i)]);
      }
    });
  }

  bool needs_input() const override { return false; }

 private:
  struct Square {
    std::int64_t result;                  // index of its first channel
    std::array<std::int64_t, 4> corners;  // likewise, row-major
  };

  template <typename Visit>
  void for_squares(Images images, const Visit& visit) const {
    for (std::int64_t image = 0; image < images.count; ++image) {
      for (std::int64_t p = 0; p < l_.p; ++p) {
        for (std::int64_t q = 0; q < l_.q; ++q) {
          const std::int64_t corner = ((image * l_.h + 2 * p) * l_.w + 2 * q) * l_.c;
          const std::int64_t down = l_.w * l_.c;
          visit(Square{.result = ((image * l_.p + p) * l_.q + q) * l_.c,
                       .corners = {corner, corner + l_.c, corner + down, corner + down + l_.c}});
        }
      }
    }
  }

  Layer l_;
  bool input_is_relu_;
  Buffer<std::int32_t> winners_;
};

}  // namespace

std::unique_ptr<ImageLayer> make_max_pool(const LayerTask& task) {
  return std::make_unique<MaxPool>(task);
}

}  // namespace breakeven::cblas
