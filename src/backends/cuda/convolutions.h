// Convolutions by cuDNN, with the fastest of its plans here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/convolution_problem.h"
#include "backends/cuda/cudnn_api.h"
#include "backends/cuda/stopwatch.h"
#include "backends/cuda/turns.h"

namespace breakeven::cuda {

/// Device memory that stays where it is, all of the problem's dtype.
struct ConvolutionOperands {
  void* first = nullptr;
  void* second = nullptr;
  void* output = nullptr;
  void* bias = nullptr;  // one value a filter
  Turns turns{};         // of the first three, where there are several
};

class Convolution {
 public:
  /// Tries the plans that the heuristics prefer, and keeps the fastest; that overwrites the output. `handle`
  /// is that of the stopwatch's stream. Throws Unsupported where cuDNN has none.
  Convolution(const ConvolutionProblem& problem, const ConvolutionOperands& operands, cudnnHandle_t handle,
              Stopwatch& stopwatch, int most_plans);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;
  Convolution(Convolution&&) = delete;
  Convolution& operator=(Convolution&&) = delete;

  /// On the handle's stream, on the next set's operands.
  void enqueue();
  /// cuDNN's name of the plan, and what the race gained.
  const std::string& algorithm() const { return algorithm_; }

 private:
  class Plans;

  void choose(Dtype dtype, Stopwatch& stopwatch, int most_plans);

  std::unique_ptr<Plans> plans_;
  std::string algorithm_;
};

}  // namespace breakeven::cuda
