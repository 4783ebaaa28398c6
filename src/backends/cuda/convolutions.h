// Convolutions with the fastest of cuDNN's plans on this device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/convolution_plans.h"
#include "backends/cuda/device.h"
#include "backends/cuda/moved.h"
#include "backends/cuda/stopwatch.h"

namespace breakeven::cuda {

class Convolution {
 public:
  /// Tries the plans that the heuristics prefer and keeps the fastest, which overwrites the output. Throws
  /// Unsupported if cuDNN has none, and OutOfMemory if memory is insufficient for all of them. `turns`: the
  /// sets of all operands but the bias, if there are several.
  Convolution(const ConvolutionProblem& problem, const ConvolutionMemory& operands, cudnnHandle_t handle,
              Stopwatch& stopwatch, int most_plans, const Turns& turns = {});

  /// Enqueues a run on the operands of the next set.
  void enqueue(cudaStream_t stream);
  /// cuDNN's name of the plan, and the speedup from the race.
  const std::string& algorithm() const { return algorithm_; }

 private:
  void choose(const ConvolutionProblem& problem, Stopwatch& stopwatch, int most_plans);
  /// Makes the workspace large enough. Returns false if there is not enough memory.
  bool has_workspace(std::int64_t bytes);
  std::string call(cudaStream_t stream);

  std::unique_ptr<ConvolutionPlans> plans_;
  ConvolutionMemory operands_;  // of the first set
  Turns turns_;
  Memory workspace_;
  std::int64_t chosen_ = 0;
  std::string algorithm_;
};

}  // namespace breakeven::cuda
