// The reference networks as a model: what the workloads take for the truth, and the backend `reference` runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/reference/reference_network.h"
#include "network/model.h"

namespace breakeven {

/// Everything in float64, whatever the task's dtype, with the operands of products as `round` makes them.
/// `threads`: how many at most; 0 for compute_threads().
class ReferenceModel final : public Model {
 public:
  explicit ReferenceModel(ModelTask task, int threads = 0, RoundOperand<double> round = nullptr);
  void reset() override { network_.reset(); }
  double train_step(std::span<const std::uint32_t> rows) override;
  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override;
  std::string algorithm() const override { return "plain loops, every sum in float64"; }

  /// The logits of the last train_step (before its update) or infer, rows x 10, in full precision.
  const std::vector<double>& logits() const { return logits_; }

 private:
  /// Calls after(labels) when the logits of some of the rows have been computed, until all have been.
  template <typename After>
  void forward_in_parts(Split split, std::span<const std::uint32_t> rows, const After& after);

  ModelTask task_;
  ReferenceNetwork<double> network_;
  std::vector<double> logits_;
};

}  // namespace breakeven
