#include "backends/cblas/network/parameters.h"

#include <algorithm>

namespace breakeven::cblas {

NetworkParameters::NetworkParameters(const Network& network, std::optional<Optimizer> optimizer,
                                     std::uint64_t seed, int threads)
    : network_(network),
      optimizer_(optimizer),
      seed_(seed),
      threads_(threads),
      channels_(network.parameters.size(), 1) {
  constexpr std::int64_t line = 16;  // floats per cache line; no two tensors share one
  std::int64_t end = 0;
  for (const auto& tensor : network.parameters) {
    offsets_.push_back(end);
    end += (tensor.elements() + line - 1) / line * line;
  }
  offsets_.push_back(end);
  const Layer* before = nullptr;
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::conv2d) channels_[*layer.weights] = layer.c;
    if (layer.kind == LayerKind::dense && before != nullptr && before->spatial())
      channels_[*layer.weights] = before->k;
    before = &layer;
  }
  values_ = Buffer<float>(end);
  std::fill(values_.data(), values_.data() + end, 0.0F);
  if (optimizer_) {
    gradients_ = Buffer<float>(end * threads_);
    std::fill(gradients_.data(), gradients_.data() + end * threads_, 0.0F);
    first_moments_ = Buffer<float>(end);
    if (optimizer_->kind == Optimizer::Kind::adam) second_moments_ = Buffer<float>(end);
  }
  reset();
}

void NetworkParameters::reset() {
  for (std::size_t t = 0; t < channels_.size(); ++t) {
    const auto initial = initial_values(network_, t, seed_);
    const std::int64_t rows = network_.parameters[t].shape[0];
    const std::int64_t channels = channels_[t];
    const std::int64_t inner = std::ssize(initial) / rows / channels;
    float* to = values_.data() + offsets_[t];
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < inner; ++i)
          to[(row * inner + i) * channels + c] =
              initial[static_cast<std::size_t>((row * channels + c) * inner + i)];
      }
    }
  }
  for (Buffer<float>* moments : {&first_moments_, &second_moments_}) {
    if (moments->size() > 0) std::fill(moments->data(), moments->data() + moments->size(), 0.0F);
  }
  steps_ = 0;
}

void NetworkParameters::clear_gradients(std::size_t first, std::size_t last, int thread) {
  std::fill(gradients(thread) + offsets_[first], gradients(thread) + offsets_[last], 0.0F);
}

void NetworkParameters::update_by_sums(std::int64_t first, std::int64_t last) {
  for (int thread = 1; thread < threads_; ++thread)
    add_to(gradients(thread) + first, gradients(0) + first, last - first);
  update(first, last - first, gradients(0) + first);
}

void NetworkParameters::update(std::int64_t offset, std::int64_t count, const float* gradient) {
  float* second = second_moments_.size() > 0 ? second_moments_.data() + offset : nullptr;
  step_.update(values_.data() + offset, first_moments_.data() + offset, second, gradient, count);
}

void NetworkParameters::next_step() {
  step_ = OptimizerStep(*optimizer_, ++steps_);
}

}  // namespace breakeven::cblas
