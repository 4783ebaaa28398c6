// A library's plans of one convolution. cuDNN's are in convolution_plans.cpp; on an emulated device there are
// others (tests/emulated_cuda).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/convolution_problem.h"
#include "backends/cuda/cudnn_api.h"
#include "workloads/interface.h"

namespace breakeven::cuda {

/// Device memory of one run, all of the problem's dtype. It stays where it is.
struct ConvolutionMemory {
  void* first = nullptr;
  void* second = nullptr;
  void* output = nullptr;
  void* bias = nullptr;  // one value a filter
};

class ConvolutionPlans : public Interface {
 public:
  virtual std::int64_t count() = 0;
  /// Says why the plan cannot be built; empty where it can. The calls below need a plan that has been built.
  virtual std::string build(std::int64_t plan) = 0;
  /// The library's name for it.
  virtual std::string name(std::int64_t plan) = 0;
  virtual std::int64_t workspace_bytes(std::int64_t plan) = 0;
  /// What enqueue() works on from here on.
  virtual void use(const ConvolutionMemory& memory) = 0;
  /// Says why it failed; empty where it did not.
  virtual std::string enqueue(std::int64_t plan, void* workspace, cudaStream_t stream) = 0;
};

/// Plans in the library's order of preference. Throws Unsupported where there are none.
std::unique_ptr<ConvolutionPlans> make_convolution_plans(const ConvolutionProblem& problem,
                                                         cudnnHandle_t handle);

}  // namespace breakeven::cuda
