// A layer that one thread computes for a few images alone, so that what it hands to the next layer is still
// in that core's cache. Every image's activations have their channels (or features) last.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cblas/network/parameters.h"
#include "network/layers.h"
#include "workloads/interface.h"

namespace breakeven::cblas {

/// `count` images of the batch from `first` on.
struct Images {
  std::int64_t first = 0, count = 0;
};

/// In all calls, activations and gradients are of these images alone, one image behind the other, and
/// `thread` is the caller's number.
class ImageLayer : public Interface {
 public:
  virtual void forward(Images images, const float* input, float* output, int thread) = 0;
  /// `gradient` is that of this layer's result before its ReLU, if it has one (its own GELU is not yet
  /// counted in), and may be overwritten. Adds the parameters' gradients to the thread's sums, and writes
  /// `input_gradient`, that of the layer before in the same sense, unless it is null.
  virtual void backward(Images images, const float* input, float* gradient, float* input_gradient,
                        int thread) = 0;
  /// Called on every thread when the parameters have changed, before the next forward().
  virtual void parameters_changed(int /*thread*/) {}
  /// Called on every thread before and after a step's calls of backward(), between which each thread's sums
  /// need not be complete.
  virtual void begin_backward(int /*thread*/) {}
  virtual void end_backward(int /*thread*/) {}
  /// backward() reads `input`; otherwise nobody need keep it.
  virtual bool needs_input() const { return true; }
};

/// What a layer is made of.
struct LayerTask {
  const Layer& layer;
  bool input_is_relu;  // the layer before ends in ReLU
  NetworkParameters& parameters;
  std::int64_t batch;
  int threads;
};

using Layers = LayerRegistry<ImageLayer, LayerTask>;

/// Null where it does not suit: for 3 x 3 filters, and multiples of winograd_lanes channels and filters.
std::unique_ptr<ImageLayer> make_winograd_convolution(const LayerTask& task);

}  // namespace breakeven::cblas
