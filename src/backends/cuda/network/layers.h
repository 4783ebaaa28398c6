// The layers of a network on the device, forward and backward. Each is made for one batch size: it allocates
// its memory and chooses the libraries' fastest algorithms.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "backends/cuda/convolution_problem.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/network/parameters.h"
#include "backends/cuda/recording.h"
#include "backends/cuda/stopwatch.h"
#include "network/layers.h"
#include "network/model.h"

struct cudnnContext;

namespace breakeven::cuda {

/// Objects that all layers of a model share.
struct Engine {
  Stopwatch& stopwatch;
  void* product_workspace = nullptr;  // product_workspace_bytes
  void* branch_workspace = nullptr;   // of the same size, for products that may run on the branch
  Branch branch;
  TensorLayout layout = TensorLayout::nhwc;  // of image activations and of filters
  std::shared_ptr<cudnnContext> cudnn;       // made by the first layer that needs it

  cudaStream_t stream() const { return stopwatch.stream(); }
};

/// Values between two layers: batch x elements in the task's dtype; the logits in f32. In training also
/// gradients, in the task's dtype. Allocated before any layer is made.
struct Activations {
  void* value = nullptr;
  void* gradient = nullptr;
  Activation activation = Activation::none;  // that produced the values
  Memory relu_mask;                          // in cuBLASLt's form; empty unless a dense layer wrote it
  /// True if the writer of the gradient also multiplies it by the activation's gradient.
  bool slope_applied = false;
};

/// The arguments from which a layer is made.
struct LayerSite {
  Engine& engine;
  const ModelTask& task;
  const Layer& layer;
  NetworkParameters& parameters;
  Activations& input;
  Activations& output;
  bool wants_input_gradient = false;
  bool is_last = false;
  const Activations* added = nullptr;  // is added to the output's values; may be null
  /// The output of a later layer to which this layer's input was added: its gradient is also the input's.
  const Activations* input_added_to = nullptr;
};

/// A layer. Its functions only enqueue; backward() uses the engine's branch, too.
class LayerWork : public BoundLayer {
 public:
  explicit LayerWork(const LayerSite& site) : site_(site) {}
  /// Called once, after those of later layers and before backward(). It may check what they apply to the
  /// gradient.
  virtual void prepare_backward() {}

 protected:
  bool training() const { return site_.task.optimizer.has_value(); }
  Dtype dtype() const { return site_.task.dtype; }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(facts(site_.task.dtype).bytes()); }
  std::int64_t output_elements() const { return site_.task.batch * site_.layer.output_elements(); }
  cudaStream_t stream() const { return site_.engine.stream(); }
  bool has_relu() const { return site_.layer.activation == Activation::relu; }

  // The parameters of a layer that has them; the weights are an operand of products.
  void* weights() const { return site_.parameters.operand(*site_.layer.weights); }
  float* weights_gradient() const { return site_.parameters.gradient(*site_.layer.weights); }
  float* bias() const { return site_.parameters.value(*site_.layer.bias); }
  float* bias_gradient() const { return site_.parameters.gradient(*site_.layer.bias); }

  LayerSite site_;
};

using Layers = LayerRegistry<LayerWork, LayerSite>;
/// Makes a layer. Throws Unsupported for a form of layer that is not implemented here.
std::unique_ptr<LayerWork> make_layer(const LayerSite& site);

/// A ColumnSums with its memory.
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
