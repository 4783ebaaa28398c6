// Averages the gradients of all ranks in a data-parallel step.
#pragma once

#include <cstdint>

#include "worker/communicator.h"
#include "workloads/model_task.h"

namespace breakeven {

/// Adds up a step's gradients over all ranks, bucket by bucket, from the last parameters to the first, which
/// is the order in which the backward pass computes them. Each rank divides its loss by the number of ranks,
/// so that the sums are the gradients of the mean loss of the whole batch.
class GradientExchange {
 public:
  /// `gradients` are those of all `count` parameters, stored contiguously in the order of layers.
  GradientExchange(Sums& sums, ExchangePlan plan, float* gradients, std::int64_t count)
      : sums_(sums), plan_(plan), gradients_(gradients), count_(count), summed_from_(count) {}

  /// The gradients from index `first` to the end are computed. Starts to add up those that fill a bucket.
  void ready_from(std::int64_t first);
  /// Returns when the gradients are those of all ranks.
  void finish();

 private:
  void sum(std::int64_t first, std::int64_t last);

  Sums& sums_;
  ExchangePlan plan_;
  float* gradients_;
  std::int64_t count_;
  std::int64_t summed_from_;  // in this step; the end before the first bucket
};

}  // namespace breakeven
