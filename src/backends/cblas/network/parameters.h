// A network's parameters, the optimiser's state, and gradients summed by each thread.
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
  /// Activations here have their channels last, so weights that read channels are kept that way, too: as rows
  /// x inner x channels where the description has rows x channels x inner.
  NetworkParameters(const Network& network, std::optional<Optimizer> optimizer, std::uint64_t seed,
                    int threads);

  /// The initial parameters, and optimiser state of zeros.
  void reset();

  std::int64_t offset(std::size_t tensor) const { return offsets_[tensor]; }
  const float* values(std::size_t tensor) const { return values_.data() + offsets_[tensor]; }
  float* gradient(std::size_t tensor, int thread) { return gradients(thread) + offsets_[tensor]; }

  /// Zeroes what `thread` has summed for tensors [first, last).
  void clear_gradients(std::size_t first, std::size_t last, int thread);
  /// Updates elements [first, last) of all parameters by the sum of all threads' gradients.
  void update_by_sums(std::int64_t first, std::int64_t last);
  /// Updates `count` parameters from `offset` on by these gradients.
  void update(std::int64_t offset, std::int64_t count, const float* gradient);
  /// Begins the next step: update() and update_by_sums() belong to it.
  void next_step();

 private:
  float* gradients(int thread) { return gradients_.data() + thread * offsets_.back(); }

  Network network_;
  std::optional<Optimizer> optimizer_;
  std::uint64_t seed_;
  int threads_;
  std::vector<std::int64_t> offsets_;   // of each tensor, and the end
  std::vector<std::int64_t> channels_;  // of each tensor that is turned; 1: kept as it is
  Buffer<float> values_, gradients_, first_moments_, second_moments_;
  int steps_ = 0;
  OptimizerStep step_;
};

}  // namespace breakeven::cblas
