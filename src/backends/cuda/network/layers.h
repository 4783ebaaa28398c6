// The layers of a network on the device, forward and backward, each made for one batch: memory allocated and
// the fastest algorithms of the libraries chosen.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/branch.h"
#include "backends/cuda/convolution_problem.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/network/parameters.h"
#include "backends/cuda/stopwatch.h"
#include "network/layers.h"
#include "network/model.h"

struct cudnnContext;

namespace breakeven::cuda {

/// What all layers of a model work with.
struct Engine {
  Stopwatch& stopwatch;
  void* product_workspace = nullptr;  // product_workspace_bytes
  void* branch_workspace = nullptr;   // as many, for products that may run on the branch
  Branch branch;
  TensorLayout layout = TensorLayout::nhwc;  // of activations that are images, and of filters
  std::shared_ptr<cudnnContext> cudnn;       // made by the first layer that needs it

  cudaStream_t stream() const { return stopwatch.stream(); }
};

/// Values between two layers: batch x elements in the task's dtype; the logits in f32. In
/// training, gradients beside the values, in the task's dtype. Allocated before any layer is made.
struct Activations {
  void* value = nullptr;
  void* gradient = nullptr;
  Activation activation = Activation::none;  // that the values are the result of
  Memory relu_mask;                          // as cuBLASLt writes it, where a dense layer had it do that
  /// Whoever writes the gradient multiplies it by the activation's slope, too.
  bool slope_applied = false;
};

/// Its calls enqueue; backward() on the engine's branch, too.
class LayerWork : public BoundLayer {
 public:
  /// Called once, after the later layers' and before backward(): it may ask what they apply to the gradient.
  virtual void prepare_backward() {}
};

/// Everything a layer is made from.
struct LayerSite {
  Engine& engine;
  const ModelTask& task;
  const Layer& layer;
  NetworkParameters& parameters;
  Activations& input;
  Activations& output;
  bool wants_input_gradient = false;
  bool is_last = false;
  const Activations* added = nullptr;  // to the output's values
  /// Of a later layer, to which this layer's input was added: its gradient is the input's, too.
  const Activations* input_added_to = nullptr;

  bool training() const { return task.optimizer.has_value(); }
  Dtype dtype() const { return task.dtype; }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(facts(task.dtype).bytes()); }
  std::int64_t output_elements() const { return task.batch * layer.output_elements(); }
  cudaStream_t stream() const { return engine.stream(); }
};

using Layers = LayerRegistry<LayerWork, LayerSite>;
/// Throws Unsupported where the layer is of a form that is not computed here.
std::unique_ptr<LayerWork> make_layer(const LayerSite& site);

/// ColumnSums with their memory.
class RowSums {
 public:
  RowSums() = default;
  RowSums(const SummedRows& of, cudaStream_t stream);
  ColumnSums get();

 private:
  SummedRows of_;
  Memory partial_, finished_;
};

}  // namespace breakeven::cuda
