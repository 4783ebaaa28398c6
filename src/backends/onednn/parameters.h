// A network's parameters: in the layout that the forward pass likes best, with gradients and the optimiser's
// state in the same layout, so that the update is one loop over flat memory. All of them are f32.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/onednn/device.h"
#include "network/model.h"
#include "network/row_kernels.h"

namespace breakeven::onednn {

/// One parameter tensor. The padding of a blocked layout is zero in all its parts, and stays so.
class Parameter {
 public:
  /// `layout` is of f32 and has the elements of tensor `index`, which is stored row-major as `plain`.
  Parameter(Device device, const ModelTask& task, std::size_t index, const Desc& plain, const Desc& layout);

  void reset();
  /// One step of the optimiser, along gradient() divided by `gradient_scale`.
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
