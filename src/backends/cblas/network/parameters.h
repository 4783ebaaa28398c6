// A network's parameters, the optimiser's state, and the gradients that each thread sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/gradient_exchange.h"
#include "network/model.h"
#include "network/row_kernels.h"
#include "workloads/buffer.h"

namespace breakeven::cblas {

class NetworkParameters {
 public:
  /// Activations here have their channels last, so weights that read channels are stored that way, too
  /// (network/channels_last.h).
  NetworkParameters(const ModelTask& task, int threads);

  /// Restores the initial parameters and sets the optimiser's state to zero.
  void reset();

  std::int64_t offset(std::size_t tensor) const { return offsets_[tensor]; }
  const float* values(std::size_t tensor) const { return values_.data() + offsets_[tensor]; }
  float* gradient(std::size_t tensor, int thread) { return gradients(thread) + offsets_[tensor]; }

  /// Sets the sums of `thread` for tensors [first, last) to zero.
  void clear_gradients(std::size_t first, std::size_t last, int thread);
  /// Updates elements [first, last) of all parameters with the sum of all threads' gradients. With other
  /// ranks, the sum is kept.
  void update_by_sums(std::int64_t first, std::int64_t last);
  /// Updates `count` parameters from `offset` with these gradients.
  void update(std::int64_t offset, std::int64_t count, const float* gradient);
  /// Begins the next step, to which update() and update_by_sums() belong.
  void next_step();
  /// The gradients of all tensors from `first` on are complete.
  void complete_from(std::size_t first);
  /// True with other ranks: the gradients of a step are kept, and update() must not be called.
  bool keeps_gradients() const { return exchange_.has_value(); }
  /// Ends the step: with other ranks, all parameters are updated with the gradients of all.
  void end_step();

 private:
  float* gradients(int thread) { return gradients_.data() + thread * offsets_.back(); }

  Network network_;
  std::optional<Optimizer> optimizer_;
  std::uint64_t seed_;
  int threads_;
  std::vector<std::int64_t> offsets_;  // of each tensor, and the end
  Buffer<float> values_, gradients_, first_moments_, second_moments_;
  int steps_ = 0;
  OptimizerStep step_;
  std::optional<GradientExchange> exchange_;  // only with other ranks
};

}  // namespace breakeven::cblas
