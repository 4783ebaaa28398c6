// The parameters of a network on the device, with gradients and optimiser state. Each is one array, so that
// one kernel updates all layers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "backends/cuda/convolution_problem.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/moved.h"
#include "network/model.h"

namespace breakeven::cuda {

class NetworkParameters {
 public:
  /// Stores tensors for activations in this layout; reset() gives them values. Throws OutOfMemory.
  NetworkParameters(const ModelTask& task, TensorLayout layout);

  /// Enqueues copying all values, in f32, from and to host memory, if the task moves them.
  void copy_inputs_to_device(cudaStream_t stream);
  void copy_outputs_to_host(cudaStream_t stream) { values_.copy_outputs_to_host(stream); }

  /// Enqueues setting the initial values, also in host memory if they move, and zero optimiser state.
  void reset(cudaStream_t stream);
  /// Enqueues an update with gradients() and this step's `state`.
  void enqueue_update(const StepState* state, cudaStream_t stream);

  /// Tensor `index` as an operand of products, in the task's dtype; its values in f32; its gradient in f32.
  void* operand(std::size_t index);
  float* value(std::size_t index) { return values() + offsets_[index]; }
  float* gradient(std::size_t index) { return gradients_.as<float>() + offsets_[index]; }

  float* gradients() { return gradients_.as<float>(); }
  /// The index of tensor `index` among all values.
  std::int64_t offset(std::size_t index) const { return offsets_[index]; }
  std::int64_t count() const { return count_; }

 private:
  float* values() { return static_cast<float*>(values_.data()); }
  bool is_narrow() const { return facts(dtype_).bytes() < sizeof(float); }
  ParameterArrays arrays();

  Dtype dtype_;
  std::optional<Optimizer> optimizer_;
  std::vector<std::int64_t> offsets_;
  std::int64_t count_ = 0;
  Moved values_;
  Memory initial_, narrow_values_, gradients_, first_moments_, second_moments_;
};

/// The optimiser's settings. sgd does not use them.
AdamRule adam_rule(const Optimizer& optimizer);

}  // namespace breakeven::cuda
