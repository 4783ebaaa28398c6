// The small networks, trained and run on oneDNN's primitives: activations stay in the library's layouts from
// layer to layer, ReLU is fused into what comes before it, and the update is one loop over each parameter.
//
// In bf16 and f16, convolutions and dense layers multiply in that type, and pass it on to each other.
// Parameters, the optimiser's state, logits, and everything that attention, normalisation and residuals read
// or write are f32.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/implementation_names.h"
#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "network/gradient_exchange.h"
#include "network/model_case.h"
#include "network/row_kernels.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

/// The type of the output of layer `index`. Between convolutions, pooling and dense layers it is the type of
/// their products if nothing else reads it; otherwise it is f32.
dnnl::memory::data_type output_type(const ModelTask& task, std::size_t index) {
  const auto& layers = task.network.layers;
  const auto takes_narrow = [](const Layer& layer) {
    return layer.kind == LayerKind::conv2d || layer.kind == LayerKind::max_pool ||
           layer.kind == LayerKind::dense;
  };
  const bool last = index + 1 == layers.size();
  if (last || !takes_narrow(layers[index]) || !takes_narrow(layers[index + 1])) return f32;
  const bool residual =
      layers[index].add_from ||
      std::any_of(layers.begin(), layers.end(), [&](const Layer& later) { return later.add_from == index; });
  return residual ? f32 : input_type(task.dtype);
}

class OnednnModel final : public Model {
 public:
  explicit OnednnModel(ModelTask task) : task_(std::move(task)) {
    const auto& layers = task_.network.layers;
    const bool image = layers.front().spatial();
    input_.value = Tensor(device_, image ? Desc({task_.batch, 1, image_side, image_side}, f32, Tag::nchw)
                                         : Desc({task_.batch, image_pixels}, f32, Tag::ab));
    activations_ = std::vector<Activations>(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].add_from && layers[i].activation != Activation::none)
        throw Unsupported(fmt::format("layer {} has an activation before a residual", layers[i].name));
      const auto relu_then_pool = [&](std::size_t first) {
        return first + 1 < layers.size() && layers[first].activation == Activation::relu &&
               layers[first].kind == LayerKind::conv2d && layers[first + 1].kind == LayerKind::max_pool;
      };
      work_.push_back(Layers::make(layers[i].kind, {.device = device_,
                                                    .task = &task_,
                                                    .layer = &layers[i],
                                                    .input = i == 0 ? &input_ : &activations_[i - 1],
                                                    .output = &activations_[i],
                                                    .output_type = output_type(task_, i),
                                                    .wants_input_gradient = i > 0,
                                                    .pool_follows = relu_then_pool(i),
                                                    .relu_before_pool = i > 0 && relu_then_pool(i - 1)}));
      for (Parameter* parameter : work_.back()->parameters()) parameters_.push_back(parameter);
    }
    if (task_.ranks > 1) prepare_exchange();
    OnednnModel::reset();
  }

  void reset() override {
    for (Parameter* parameter : parameters_) parameter->reset();
    for (const auto& layer : work_) layer->parameters_changed();
    steps_ = 0;
  }

  double train_step(std::span<const std::uint32_t> rows) override {
    const LabelledImages& images = task_.data->images(Split::train);
    forward(images, rows);
    Activations& logits = activations_.back();
    const double loss =
        cross_entropy(logits.value.as<float>(), images.labels, rows,
                      gradient_scale() / static_cast<float>(task_.ranks), logits.gradient.as<float>());
    backward();
    if (exchange_) exchange_->finish();
    const OptimizerStep step(*task_.optimizer, ++steps_);
    for (Parameter* parameter : parameters_) parameter->update(step, gradient_scale());
    for (const auto& layer : work_) layer->parameters_changed();
    return loss;
  }

  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    forward(task_.data->images(split), rows);
    std::copy_n(activations_.back().value.as<float>(), rows.size() * classes, logits);
  }

  std::string algorithm() const override {
    std::string all;
    for (const auto& layer : work_) {
      const std::string own = layer->algorithm();
      if (!own.empty()) all += (all.empty() ? "" : "; ") + own;
    }
    return all;
  }

 private:
  void forward(const LabelledImages& images, std::span<const std::uint32_t> rows) {
    parallel_items(std::ssize(rows), [&, to = input_.value.as<float>()](std::int64_t row) {
      images.gather(rows.subspan(static_cast<std::size_t>(row), 1), to + row * image_pixels);
    });
    for (std::size_t i = 0; i < work_.size(); ++i) {
      work_[i]->forward();
      if (const auto from = task_.network.layers[i].add_from)
        add(activations_[*from].value, activations_[i].value);
    }
  }

  /// Runs from the last layer to the first. A layer whose output is also read by a later layer gets the
  /// gradient of that layer, too.
  void backward() {
    const auto& layers = task_.network.layers;
    for (std::size_t i = work_.size(); i-- > 0;) {
      for (std::size_t later = i + 1; later < layers.size(); ++later) {
        if (layers[later].add_from == i) add(activations_[later].gradient, activations_[i].gradient);
      }
      work_[i]->backward();
      if (exchange_) exchange_->ready_from(gradients_from_[i]);
    }
  }

  /// Stores all gradients contiguously, in the order of layers, as other ranks need them.
  void prepare_exchange() {
    constexpr std::int64_t line = 16;  // floats per cache line; no two tensors share one
    std::int64_t end = 0;
    std::vector<std::int64_t> places;
    for (const auto& layer : work_) {
      gradients_from_.push_back(end);
      for (Parameter* parameter : layer->parameters()) {
        places.push_back(end);
        const std::int64_t floats = parameter->gradient().bytes() / static_cast<std::int64_t>(sizeof(float));
        end += (floats + line - 1) / line * line;
      }
    }
    gradients_ = Buffer<float>(end);
    std::fill_n(gradients_.data(), end, 0.0F);
    for (std::size_t i = 0; i < places.size(); ++i)
      parameters_[i]->gradient().move_to(reinterpret_cast<std::byte*>(gradients_.data() + places[i]));
    exchange_.emplace(communicator(), task_.exchange, gradients_.data(), end);
  }

  static void add(Tensor& from, Tensor& to) {
    const float* x = from.as<float>();
    auto* y = to.as<float>();
    parallel_ranges(
        to.bytes() / static_cast<std::int64_t>(sizeof(float)),
        [=](std::int64_t first, std::int64_t last) { add_to(x + first, y + first, last - first); });
  }

  /// The factor by which the gradients of all activations are larger than those of the loss. The gradient of
  /// a mean is of size 1/batch, too small for f16; that of the sum is not.
  float gradient_scale() const { return task_.dtype == Dtype::f16 ? static_cast<float>(task_.batch) : 1.0F; }

  ModelTask task_;
  Device device_;
  Activations input_;
  std::vector<Activations> activations_;  // outputs of all layers
  std::vector<std::unique_ptr<LayerWork>> work_;
  std::vector<Parameter*> parameters_;
  std::int64_t steps_ = 0;
  // Only with other ranks:
  Buffer<float> gradients_;                   // of all parameters
  std::vector<std::int64_t> gradients_from_;  // index of each layer's first gradient
  std::optional<GradientExchange> exchange_;
};

/// True if a dense layer has more than the reference implementation here, in all of its passes.
bool computes(Dtype dtype, dnnl::prop_kind propagation) {
  const Device device;
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, dnnl::memory::data_type type) {
    return Desc({rows, columns}, type, Tag::any);
  };
  const auto type = input_type(dtype);
  const Desc bias({512}, f32, Tag::a);
  const auto fast = [](const auto& descriptor) { return !is_reference(descriptor.impl_info_str()); };
  try {
    const auto forward = first_implementation<dnnl::inner_product_forward>(
        device.engine, strict_attributes(), {}, propagation, matrix(64, 512, type), matrix(512, 512, type),
        bias, matrix(64, 512, type));
    if (propagation == dnnl::prop_kind::forward_inference) return fast(forward);
    const auto data = first_implementation<dnnl::inner_product_backward_data>(
        device.engine, strict_attributes(), std::tuple(forward), matrix(64, 512, type),
        matrix(512, 512, type), matrix(64, 512, type));
    const auto weights = first_implementation<dnnl::inner_product_backward_weights>(
        device.engine, strict_attributes(), std::tuple(forward), matrix(64, 512, type), matrix(512, 512, f32),
        bias, matrix(64, 512, type));
    return fast(forward) && fast(data) && fast(weights);
  } catch (const dnnl::error&) {
    return false;  // not supported at all
  }
}

template <dnnl::prop_kind propagation>
std::vector<Dtype> dtypes() {
  std::vector<Dtype> all{Dtype::f32, Dtype::f16, Dtype::bf16};
  std::erase_if(all, [](Dtype dtype) { return dtype != Dtype::f32 && !computes(dtype, propagation); });
  return all;
}

std::unique_ptr<Model> make(ModelTask task) {
  try {
    return std::make_unique<OnednnModel>(std::move(task));
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    throw Unsupported(
        fmt::format("oneDNN does not have a layer of this network on this CPU: {}", error.what()));
  }
}

const ModelRegistration networks(dtypes<dnnl::prop_kind::forward_training>,
                                 dtypes<dnnl::prop_kind::forward_inference>, make, /*takes_ranks=*/true);

}  // namespace
}  // namespace breakeven::onednn
