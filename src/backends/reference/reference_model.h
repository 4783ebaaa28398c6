// The reference networks as a model, for reference results and for the backend `reference`.
#pragma once

#include <string>
#include <vector>

#include "backends/reference/reference_network.h"
#include "network/model.h"

namespace breakeven {

/// A model that computes in float64, whatever the task's dtype. `round` is applied to the operands of
/// products. `threads`: the largest number of threads; 0 for compute_threads().
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
  /// Computes the logits of `rows` in parts at the same time, each some images after another, and calls
  /// after(part, its network, labels) after these. Returns the networks, by part. The parts depend on the
  /// number of rows alone, so that any number of threads rounds alike.
  template <typename After>
  std::vector<ReferenceNetwork<double>> forward_in_parts(Split split, std::span<const std::uint32_t> rows,
                                                         const After& after);

  ModelTask task_;
  int threads_;
  ReferenceNetwork<double> network_;
  std::vector<double> logits_;
};

}  // namespace breakeven
