// The layers of a network, forward and backward, with oneDNN primitives that are made once for a batch size.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/onednn/device.h"
#include "backends/onednn/loops.h"
#include "backends/onednn/parameters.h"
#include "network/layers.h"
#include "network/model.h"

namespace breakeven::onednn {

/// The tensors between two layers: values and, in training, their gradients, in the same layout and type.
struct Activations {
  Tensor value, gradient;
};

/// The arguments from which a layer is made.
struct LayerSite {
  Device device;
  const ModelTask* task = nullptr;
  const Layer* layer = nullptr;
  Activations* input = nullptr;
  Activations* output = nullptr;  // the layer allocates it in its preferred layout
  dnnl::memory::data_type output_type = dnnl::memory::data_type::f32;
  bool wants_input_gradient = false;
  /// True if the next layer is a max-pool, which then applies the ReLU's gradient: the largest value passes a
  /// gradient if it is positive, and there are a quarter as many values.
  bool pool_follows = false;
  bool relu_before_pool = false;  // true for that max-pool

  bool training() const { return task->optimizer.has_value(); }
  std::int64_t batch() const { return task->batch; }
  dnnl::prop_kind propagation() const {
    return training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  }
  /// The type to which operands of products are rounded.
  dnnl::memory::data_type product_type() const { return input_type(task->dtype); }
  void allocate_output(const Desc& layout) const;
  /// Allocates a row-major output, rows x columns, in f32.
  void allocate_output(std::int64_t rows, std::int64_t columns) const;
};

class LayerWork : public BoundLayer {
 public:
  explicit LayerWork(const LayerSite& site) : input_(*site.input), output_(*site.output) {}

  virtual std::vector<Parameter*> parameters() { return {}; }
  /// Updates copies of the parameters in other types. Must be called after parameters have changed.
  virtual void parameters_changed() {}

 protected:
  Activations& input_;
  Activations& output_;
};

using Layers = LayerRegistry<LayerWork, LayerSite>;

/// A primitive with its arguments. run() does not wait; the caller waits after the last step.
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

/// A tensor in the layout and type that a primitive needs, copied from or to one in another layout or type.
class Relaid {
 public:
  Relaid() = default;
  /// For a primitive that reads `kept`: call convert() before it. Makes no copy if layout and type are equal.
  static Relaid to_read(const Device& device, const dnnl::memory& kept, const Desc& wanted) {
    return {device, kept, wanted, false};
  }
  /// For a primitive that writes `kept`: call convert() after it.
  static Relaid to_write(const Device& device, const dnnl::memory& kept, const Desc& wanted) {
    return {device, kept, wanted, true};
  }
  /// The primitive's argument.
  const dnnl::memory& memory() const { return convert_ ? own_.memory() : kept_; }
  void convert(const Device& device) const {
    if (convert_) convert_.run(device);
  }

 private:
  Relaid(const Device& device, const dnnl::memory& kept, const Desc& wanted, bool back);

  dnnl::memory kept_;
  Tensor own_;
  Step convert_;
};

/// Calls body(T()) with the C++ type of elements of `type` in loops of this program: float or HalfBits.
template <typename Body>
void with_element_type(dnnl::memory::data_type type, const Body& body) {
  if (type == dnnl::memory::data_type::f32) return body(float());
  body(HalfBits());
}

/// ReLU gradient, from its output: gradient[i] = 0 where output[i] <= 0.
void mask_relu(Activations& output);

/// The exact GELU, and the gradient of its input. It treats memory as flat, whatever the layout.
class Gelu {
 public:
  Gelu() = default;
  Gelu(const Device& device, const dnnl::memory& before, Activations& output);
  void forward(const Device& device) const { forward_.run(device); }
  /// Replaces the output's gradient by that of the input.
  void backward(const Device& device) const { backward_.run(device); }

 private:
  Step forward_, backward_;
};

}  // namespace breakeven::onednn
