#include "backends/cblas/network/parameters.h"

#include <algorithm>

#include "network/channels_last.h"
#include "worker/threads.h"

namespace breakeven::cblas {

NetworkParameters::NetworkParameters(const ModelTask& task, int threads)
    : network_(task.network), optimizer_(task.optimizer), seed_(task.seed), threads_(threads) {
  constexpr std::int64_t line = 16;  // floats per cache line; no two tensors share one
  std::int64_t end = 0;
  for (const auto& tensor : network_.parameters) {
    offsets_.push_back(end);
    end += (tensor.elements() + line - 1) / line * line;
  }
  offsets_.push_back(end);
  values_ = Buffer<float>(end);
  std::fill(values_.data(), values_.data() + end, 0.0F);
  if (optimizer_) {
    gradients_ = Buffer<float>(end * threads_);
    std::fill(gradients_.data(), gradients_.data() + end * threads_, 0.0F);
    first_moments_ = Buffer<float>(end);
    if (optimizer_->kind == Optimizer::Kind::adam) second_moments_ = Buffer<float>(end);
    if (task.ranks > 1) exchange_.emplace(communicator(), task.exchange, gradients_.data(), end);
  }
  reset();
}

void NetworkParameters::reset() {
  for (std::size_t t = 0; t < network_.parameters.size(); ++t)
    std::ranges::copy(channels_last_values(network_, t, seed_), values_.data() + offsets_[t]);
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
  if (!keeps_gradients()) update(first, last - first, gradients(0) + first);
}

void NetworkParameters::update(std::int64_t offset, std::int64_t count, const float* gradient) {
  float* second = second_moments_.size() > 0 ? second_moments_.data() + offset : nullptr;
  step_.update(values_.data() + offset, first_moments_.data() + offset, second, gradient, count);
}

void NetworkParameters::complete_from(std::size_t first) {
  if (exchange_) exchange_->ready_from(offsets_[first]);
}

void NetworkParameters::end_step() {
  if (!exchange_) return;
  exchange_->finish();
  parallel_ranges(offsets_.back(), [&](std::int64_t first, std::int64_t last, int) {
    update(first, last - first, gradients(0) + first);
  });
}

void NetworkParameters::next_step() {
  step_ = OptimizerStep(*optimizer_, ++steps_);
}

}  // namespace breakeven::cblas
