// A library's plans for one convolution. cuDNN's are in convolution_plans.cpp; for an emulated device there
// are others (tests/emulated_cuda).
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/convolution_problem.h"
#include "workloads/interface.h"

namespace breakeven::cuda {

/// The device memory of one run, in the problem's dtype. Its addresses do not change.
struct ConvolutionMemory {
  void* first = nullptr;
  void* second = nullptr;
  void* output = nullptr;
  void* bias = nullptr;  // one value per filter
};

class ConvolutionPlans : public Interface {
 public:
  virtual std::int64_t count() = 0;
  /// Builds a plan. Returns the reason if that is not possible, or an empty string. The functions below need
  /// a built plan.
  virtual std::string build(std::int64_t plan) = 0;
  /// The library's name for a plan.
  virtual std::string name(std::int64_t plan) = 0;
  virtual std::int64_t workspace_bytes(std::int64_t plan) = 0;
  /// Sets the memory for later calls of enqueue().
  virtual void use(const ConvolutionMemory& memory) = 0;
  /// Enqueues a run of a plan. Returns the reason if that fails, or an empty string.
  virtual std::string enqueue(std::int64_t plan, void* workspace, cudaStream_t stream) = 0;
};

struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const;
};
using CudnnHandle = std::unique_ptr<cudnnContext, DestroyCudnn>;
/// Makes a handle. Throws Unsupported with the loader's message if cuDNN's library cannot be used.
CudnnHandle make_handle();

/// Returns the plans in the library's order of preference. Throws Unsupported if there are none.
std::unique_ptr<ConvolutionPlans> make_convolution_plans(const ConvolutionProblem& problem,
                                                         cudnnHandle_t handle);

}  // namespace breakeven::cuda
