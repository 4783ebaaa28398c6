// Convolution by Winograd's algorithm, forward and backward: 16 multiplications where the definition has 36.
#include <algorithm>
#include <array>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/image_layer.h"
#include "backends/cblas/winograd_tiles.h"
#include "network/row_kernels.h"
#include "workloads/parallel.h"

namespace breakeven::cblas {
namespace {

class WinogradConvolution final : public ImageLayer {
 public:
  explicit WinogradConvolution(const LayerTask& task)
      : ImageLayer(task),
        threads_(task.threads),
        tiles_(winograd_, {.h = l_.h, .w = l_.w, .pad_h = l_.pad, .pad_w = l_.pad, .p = l_.p, .q = l_.q},
               std::max(l_.c, l_.k)),
        back_tiles_(winograd_,
                    {.h = l_.p, .w = l_.q, .pad_h = 2 - l_.pad, .pad_w = 2 - l_.pad, .p = l_.h, .q = l_.w},
                    std::max(l_.c, l_.k)),
        filters_(planes() * l_.k * l_.c),
        transposed_filters_(filters_.size()),
        sums_(threads_ * filters_.size()) {
    // Long enough for fast products; short enough for the values between them to stay in the cache.
    constexpr std::int64_t most = 192;
    const std::int64_t tiles = std::max(tiles_.per_image(), back_tiles_.per_image());
    const std::int64_t blocks = (tiles + most - 1) / most;
    block_ = (tiles + blocks - 1) / blocks;
    room_ = planes() * block_ * (l_.c + l_.k);
    workspace_ = Buffer<float>(threads_ * room_);
  }

  void parameters_changed(int thread) override {
    const Part mine = part_of(l_.k, thread, threads_);
    transform_filters(winograd_, parameters_.values(*l_.weights), mine.first, mine.last(), l_.k, l_.c,
                      filters_.data());
    transpose_filters(winograd_, filters_.data(), mine.first, mine.last(), l_.k, l_.c,
                      transposed_filters_.data());
  }

  void forward(Images images, const float* input, float* output, int thread) override {
    for_blocks(images.count * tiles_.per_image(), [&](TileBlock block) {
      tiles_.convolve(block, {.data = input, .count = l_.c, .of = l_.c}, transposed_filters_.data(), false,
                      {.data = output, .count = l_.k, .of = l_.k}, workspace_.data() + thread * room_);
    });
    add_bias(output, l_.k, images.count * l_.p * l_.q, l_.k, parameters_.values(*l_.bias),
             l_.activation == Activation::relu);
  }

  void begin_backward(int thread) override {
    float* const sums = sums_.data() + thread * filters_.size();
    std::fill(sums, sums + filters_.size(), 0.0F);
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    add_rows(gradient, l_.k, images.count * l_.p * l_.q, l_.k, parameters_.gradient(*l_.bias, thread));
    sum_filter_gradients(images, input, gradient, thread);
    if (input_gradient == nullptr) return;
    // Convolves the gradient with the filters, rotated by 180 degrees.
    for_blocks(images.count * back_tiles_.per_image(), [&](TileBlock block) {
      back_tiles_.convolve(block, {.data = gradient, .count = l_.k, .of = l_.k}, filters_.data(), true,
                           {.data = input_gradient, .count = l_.c, .of = l_.c},
                           workspace_.data() + thread * room_);
    });
    if (input_is_relu_) keep_where_positive(input, input_gradient, images.count * l_.input_elements());
  }

  void end_backward(int thread) override {
    float* const weights_gradient = parameters_.gradient(*l_.weights, thread);
    for (std::int64_t k = 0; k < l_.k; ++k) {
      std::array<float*, 9> taps{};
      for (std::int64_t i = 0; i < 9; ++i) taps[i] = weights_gradient + (k * 9 + i) * l_.c;
      winograd_.filter_gradient(sums_.data() + thread * filters_.size() + k * l_.c, l_.k * l_.c, l_.c,
                                taps.data());
    }
  }

 private:
  std::int64_t planes() const { return winograd_.products; }
  /// Plane `i` of the transformed tiles.
  Matrix<float> plane(const float* planes, std::int64_t i, std::int64_t channels) const {
    return {planes + i * block_ * channels, channels};
  }

  template <typename Block>
  void for_blocks(std::int64_t tiles, const Block& block) const {
    for (std::int64_t first = 0; first < tiles; first += block_)
      block(TileBlock{.first = first, .count = std::min(block_, tiles - first), .room = block_});
  }

  void sum_filter_gradients(Images images, const float* input, const float* gradient, int thread) {
    float* const seen = workspace_.data() + thread * room_;
    float* const gradients = seen + planes() * block_ * l_.c;
    float* const sums = sums_.data() + thread * filters_.size();
    for_blocks(images.count * tiles_.per_image(), [&](TileBlock block) {
      tiles_.source(block, {.data = input, .count = l_.c, .of = l_.c}, seen);
      tiles_.result_gradient(block, {.data = gradient, .count = l_.k, .of = l_.k}, gradients);
      for (std::int64_t i = 0; i < planes(); ++i) {
        Matrix<float> transposed = plane(gradients, i, l_.k);
        transposed.transposed = true;
        gemm(l_.k, l_.c, block.count, transposed, plane(seen, i, l_.c), 1.0F, sums + i * l_.k * l_.c, l_.c);
      }
    });
  }

  int threads_;
  const Winograd& winograd_ = *winograd_for(1);
  WinogradTiles tiles_, back_tiles_;
  Buffer<float> filters_, transposed_filters_;  // transformed: planes of k x c, and of c x k
  Buffer<float> sums_;                          // each thread's gradient of filters_
  std::int64_t block_ = 0, room_ = 0;
  Buffer<float> workspace_;
};

}  // namespace

std::unique_ptr<ImageLayer> make_winograd_convolution(const LayerTask& task) {
  const Layer& l = task.layer;
  const bool suits = l.filter == 3 && l.pad <= 2 && l.c % winograd_lanes == 0 && l.k % winograd_lanes == 0;
  return suits ? std::make_unique<WinogradConvolution>(task) : nullptr;
}

}  // namespace breakeven::cblas
