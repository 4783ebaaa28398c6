// The sums of gradients over ranks, on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/device_ranks.h"
#include "backends/cuda/recording.h"
#include "worker/communicator.h"

namespace breakeven::cuda {

/// Adds up gradients when the work that is enqueued on the main stream and the branch has computed them.
/// Started sums run on a stream of their own, beside the main stream's later work. If the host takes part in
/// sums, it begins with started ones in finish_sums(), when all that later work is enqueued.
class DeviceSums final : public Sums {
 public:
  /// `branch` belongs to the main stream. `most` is the largest count of sum_in_order(), for which memory is
  /// allocated. Throws OutOfMemory. The first sum joins the ranks.
  DeviceSums(cudaStream_t main, Branch& branch, std::int64_t most);

  void sum(float* values, std::int64_t count) override;
  void sum_in_order(float* values, std::int64_t count) override;
  void start_sum(float* values, std::int64_t count) override;
  void advance_sums() override {}
  void finish_sums() override;

 private:
  struct Started {
    Event ready;  // the values are computed
    float* values = nullptr;
    std::int64_t count = 0;
  };

  void enqueue(const Started& one);

  cudaStream_t main_;
  Branch& branch_;
  Stream side_;
  Memory parts_;                                // of all ranks, for sum_in_order()
  std::vector<std::unique_ptr<Started>> sums_;  // of a step; kept for the next one
  std::size_t started_ = 0;                     // number of them in this step
  Event done_;
};

}  // namespace breakeven::cuda
