// A network's parameters in f32, in the layout that the forward pass prefers. Gradients and the optimiser's
// state have the same layout, so that the update is one loop over flat memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/onednn/device.h"
#include "network/model.h"
#include "network/row_kernels.h"

namespace breakeven::onednn {

/// A parameter tensor. The padding of a blocked layout is zero in all its parts, and stays zero.
class Parameter {
 public:
  /// `layout` is an f32 layout of tensor `index`, which the network stores row-major as `plain`.
  Parameter(Device device, const ModelTask& task, std::size_t index, const Desc& plain, const Desc& layout);

  void reset();
  /// Runs one step of the optimiser, with gradient() divided by `gradient_scale`.
  void update(const OptimizerStep& step, float gradient_scale);

  Tensor& value() { return value_; }
  Tensor& gradient() { return gradient_; }

 private:
  Device device_;
  std::vector<float> initial_;
  Desc plain_;
  Tensor value_, gradient_;
  std::vector<Tensor> states_;
};

}  // namespace breakeven::onednn
