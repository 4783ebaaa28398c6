// Convolutions by cuDNN, with the fastest of its plans here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/convolution_plans.h"
#include "backends/cuda/device.h"
#include "backends/cuda/stopwatch.h"
#include "backends/cuda/turns.h"

namespace breakeven::cuda {

class Convolution {
 public:
  /// Tries the plans that the heuristics prefer, and keeps the fastest; that overwrites the output. Throws
  /// Unsupported where cuDNN has none, and OutOfMemory where memory is too little for each of them.
  /// `turns`: of all operands but the bias, where there are several sets.
  Convolution(const ConvolutionProblem& problem, const ConvolutionMemory& operands, cudnnHandle_t handle,
              Stopwatch& stopwatch, int most_plans, const Turns& turns = {});

  /// Runs on the next set's operands.
  void enqueue(cudaStream_t stream);
  /// cuDNN's name of the plan, and what the race gained.
  const std::string& algorithm() const { return algorithm_; }

 private:
  void choose(const ConvolutionProblem& problem, Stopwatch& stopwatch, int most_plans);
  /// False where there is not enough memory.
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
