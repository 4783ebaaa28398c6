// A network's parameters, the optimiser's state, and the gradients that each thread sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/model.h"
#include "network/row_kernels.h"
#include "workloads/buffer.h"

namespace breakeven::cblas {

class NetworkParameters {
 public:
  /// Activations here have their channels last, so weights that read channels are stored that way, too
  /// (network/channels_last.h).
  NetworkParameters(const Network& network, std::optional<Optimizer> optimizer, std::uint64_t seed,
                    int threads);

  /// Restores the initial parameters and sets the optimiser's state to zero.
  void reset();

  std::int64_t offset(std::size_t tensor) const { return offsets_[tensor]; }
  const float* values(std::size_t tensor) const { return values_.data() + offsets_[tensor]; }
  float* gradient(std::size_t tensor, int thread) { return gradients(thread) + offsets_[tensor]; }

  /// Sets the sums of `thread` for tensors [first, last) to zero.
  void clear_gradients(std::size_t first, std::size_t last, int thread);
  /// Updates elements [first, last) of all parameters with the sum of all threads' gradients.
  void update_by_sums(std::int64_t first, std::int64_t last);
  /// Updates `count` parameters from `offset` with these gradients.
  void update(std::int64_t offset, std::int64_t count, const float* gradient);
  /// Begins the next step, to which update() and update_by_sums() belong.
  void next_step();

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
};

}  // namespace breakeven::cblas
