// A layer that one thread computes alone for a few images, so that its output is still in that core's cache
// for the next layer. Activations have their channels (or features) last.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cblas/network/parameters.h"
#include "network/layers.h"
#include "workloads/interface.h"

namespace breakeven::cblas {

/// `count` images of the batch, starting with `first`.
struct Images {
  std::int64_t first = 0, count = 0;
};

/// The arguments from which a layer is made.
struct LayerTask {
  const Layer& layer;
  bool input_is_relu;  // the previous layer ends in ReLU
  NetworkParameters& parameters;
  std::int64_t batch;
  int threads;
};

/// A layer. In all calls, activations and gradients are of these images alone and stored contiguously;
/// `thread` is the caller's number.
class ImageLayer : public Interface {
 public:
  explicit ImageLayer(const LayerTask& task)
      : l_(task.layer), input_is_relu_(task.input_is_relu), parameters_(task.parameters) {}

  virtual void forward(Images images, const float* input, float* output, int thread) = 0;
  /// `gradient` is that of this layer's result before its ReLU, if it has one (but after its own GELU), and
  /// may be overwritten. Adds the parameters' gradients to the thread's sums. Writes `input_gradient`, the
  /// same for the previous layer, unless it is null.
  virtual void backward(Images images, const float* input, float* gradient, float* input_gradient,
                        int thread) = 0;
  /// Called on every thread after the parameters have changed and before the next forward().
  virtual void parameters_changed(int /*thread*/) {}
  /// Called on every thread before and after a step's calls of backward(). In between, a thread's sums need
  /// not be complete.
  virtual void begin_backward(int /*thread*/) {}
  virtual void end_backward(int /*thread*/) {}
  /// True if backward() reads `input`; otherwise it need not be kept.
  virtual bool needs_input() const { return true; }

 protected:
  Layer l_;
  bool input_is_relu_;
  NetworkParameters& parameters_;
};

using Layers = LayerRegistry<ImageLayer, LayerTask>;

/// Null if it is not applicable: it needs 3 x 3 filters, and multiples of winograd_lanes channels and
/// filters.
std::unique_ptr<ImageLayer> make_winograd_convolution(const LayerTask& task);

}  // namespace breakeven::cblas
