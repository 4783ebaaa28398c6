// The layers of a network as oneDNN computes them, forward and backward, primitives made once for a batch.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/onednn/device.h"
#include "backends/onednn/loops.h"
#include "backends/onednn/parameters.h"
#include "network/layers.h"
#include "network/model.h"

namespace breakeven::onednn {

/// What lies between two layers: values, and in training their gradients, in one layout and type.
struct Activations {
  Tensor value, gradient;
};

class LayerWork : public BoundLayer {
 public:
  virtual std::vector<Parameter*> parameters() { return {}; }
  /// To be called when parameters have other values: what is kept of them in another type follows.
  virtual void parameters_changed() {}
};

/// Everything a layer is made from.
struct LayerSite {
  Device device;
  const ModelTask* task = nullptr;
  const Layer* layer = nullptr;
  Activations* input = nullptr;
  Activations* output = nullptr;  // to be allocated, in the layout of the layer's choice
  dnnl::memory::data_type output_type = dnnl::memory::data_type::f32;
  bool wants_input_gradient = false;
  /// The ReLU's gradient is applied by the max-pool behind: the largest of some values passes a gradient if
  /// it is positive itself, and there are a quarter as many of them.
  bool pool_follows = false;
  bool relu_before_pool = false;  // the other side of it

  bool training() const { return task->optimizer.has_value(); }
  std::int64_t batch() const { return task->batch; }
  dnnl::prop_kind propagation() const {
    return training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  }
  /// What the operands of products are rounded to.
  dnnl::memory::data_type product_type() const { return input_type(task->dtype); }
  void allocate_output(const Desc& layout) const;
  /// Row-major rows x columns, f32.
  void allocate_output(std::int64_t rows, std::int64_t columns) const;
};

using Layers = LayerRegistry<LayerWork, LayerSite>;

/// A primitive with its arguments. Whoever runs the last of a row waits.
class Step {
 public:
  Step() = default;
  Step(dnnl::primitive primitive, std::unordered_map<int, dnnl::memory> arguments)
      : primitive_(std::move(primitive)), arguments_(std::move(arguments)) {}
  explicit operator bool() const { return static_cast<bool>(primitive_); }
  void run(const Device& device) const { primitive_.execute(device.stream, arguments_); }

 private:
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

/// A tensor in the layout and type that one primitive wants, where it is kept in another.
class Relaid {
 public:
  Relaid() = default;
  /// For a primitive that reads `kept`: bring() goes before it. Nothing is made where nothing differs.
  static Relaid to_read(const Device& device, const dnnl::memory& kept, const Desc& wanted) {
    return {device, kept, wanted, false};
  }
  /// For a primitive that writes `kept`: bring() goes behind it.
  static Relaid to_write(const Device& device, const dnnl::memory& kept, const Desc& wanted) {
    return {device, kept, wanted, true};
  }
  /// What the primitive is given.
  const dnnl::memory& memory() const { return bring_ ? own_.memory() : kept_; }
  void bring(const Device& device) const {
    if (bring_) bring_.run(device);
  }

 private:
  Relaid(const Device& device, const dnnl::memory& kept, const Desc& wanted, bool back);

  dnnl::memory kept_;
  Tensor own_;
  Step bring_;
};

/// Calls body(T()) with the type in which loops of this program handle values of `type`: float or HalfBits.
template <typename Body>
void with_element_type(dnnl::memory::data_type type, const Body& body) {
  if (type == dnnl::memory::data_type::f32) return body(float());
  body(HalfBits());
}

/// gradient[i] = 0 where output[i] <= 0: ReLU's gradient, from its result.
void mask_relu(Activations& output);

/// GELU, the exact one, and the gradient of its input: memory is flat, whatever the layout.
class Gelu {
 public:
  Gelu() = default;
  Gelu(const Device& device, const dnnl::memory& before, Activations& output);
  void forward(const Device& device) const { forward_.run(device); }
  /// The output's gradient becomes that of the input.
  void backward(const Device& device) const { backward_.run(device); }

 private:
  Step forward_, backward_;
};

}  // namespace breakeven::onednn
