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
#include "backends/onednn/parameters.h"
#include "network/model.h"

namespace breakeven::onednn {

/// What lies between two layers: values, and in training their gradients, in one layout.
struct Activations {
  Tensor value, gradient;
};

/// A layer, bound to what it reads and to what it writes.
class LayerWork {
 public:
  virtual ~LayerWork() = default;
  LayerWork() = default;
  LayerWork(const LayerWork&) = delete;
  LayerWork& operator=(const LayerWork&) = delete;
  LayerWork(LayerWork&&) = delete;
  LayerWork& operator=(LayerWork&&) = delete;

  /// Writes the output's values.
  virtual void forward() = 0;
  /// Writes the gradients of the parameters, and of the input where somebody needs it. May overwrite the
  /// output's gradient.
  virtual void backward() = 0;
  virtual std::vector<Parameter*> parameters() { return {}; }
  /// What the library chose; empty for loops of this program.
  virtual std::string algorithm() const { return ""; }
};

/// Everything a layer is made from.
struct LayerSite {
  Device device;
  const ModelTask* task = nullptr;
  const Layer* layer = nullptr;
  Activations* input = nullptr;
  Activations* output = nullptr;  // to be allocated, in the layout of the layer's choice
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
  void allocate_output(const Desc& layout) const;
  /// Row-major rows x columns.
  void allocate_output(std::int64_t rows, std::int64_t columns) const;
};

std::unique_ptr<LayerWork> make_dense(const LayerSite& site);
std::unique_ptr<LayerWork> make_convolution(const LayerSite& site);
std::unique_ptr<LayerWork> make_max_pool(const LayerSite& site);
std::unique_ptr<LayerWork> make_attention(const LayerSite& site);
std::unique_ptr<LayerWork> make_positions(const LayerSite& site);
std::unique_ptr<LayerWork> make_layer_norm(const LayerSite& site);
std::unique_ptr<LayerWork> make_mean_tokens(const LayerSite& site);
std::unique_ptr<LayerWork> make_layer(const LayerSite& site);

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

/// A tensor in the layout that one primitive wants, where it is not the layout it is kept in.
class Relaid {
 public:
  Relaid() = default;
  /// Nothing is made where the layouts are the same.
  Relaid(const Device& device, const dnnl::memory& kept, const Desc& wanted);
  /// What the primitive is given.
  const dnnl::memory& memory() const { return same_ ? kept_ : own_.memory(); }
  void bring_here(const Device& device) const;
  void bring_back(const Device& device) const;

 private:
  bool same_ = true;
  dnnl::memory kept_;
  Tensor own_;
  Step here_, back_;
};

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
