// The small networks, trained and run on oneDNN's primitives: activations stay in the library's layouts from
// layer to layer, ReLU is fused into what comes before it, and the update is one loop over each parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "network/model_case.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;

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
      work_.push_back(make_layer({.device = device_,
                                  .task = &task_,
                                  .layer = &layers[i],
                                  .input = i == 0 ? &input_ : &activations_[i - 1],
                                  .output = &activations_[i],
                                  .wants_input_gradient = i > 0,
                                  .pool_follows = relu_then_pool(i),
                                  .relu_before_pool = i > 0 && relu_then_pool(i - 1)}));
      for (Parameter* parameter : work_.back()->parameters()) parameters_.push_back(parameter);
    }
    OnednnModel::reset();
  }

  void reset() override {
    for (Parameter* parameter : parameters_) parameter->reset();
    steps_ = 0;
  }

  double train_step(std::span<const std::uint32_t> rows) override {
    const LabelledImages& images = task_.data->images(Split::train);
    forward(images, rows);
    const double loss = loss_and_gradient(images, rows);
    backward();
    ++steps_;
    for (Parameter* parameter : parameters_) parameter->update(*task_.optimizer, steps_);
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

  /// From the last layer to the first. What a layer hands on to a later one beside its neighbour comes back
  /// with the gradient of that later layer.
  void backward() {
    const auto& layers = task_.network.layers;
    for (std::size_t i = work_.size(); i-- > 0;) {
      for (std::size_t later = i + 1; later < layers.size(); ++later) {
        if (layers[later].add_from == i) add(activations_[later].gradient, activations_[i].gradient);
      }
      work_[i]->backward();
    }
  }

  static void add(Tensor& from, Tensor& to) {
    const float* x = from.as<float>();
    auto* y = to.as<float>();
    parallel_ranges(to.bytes() / static_cast<std::int64_t>(sizeof(float)),
                    [=](std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last; ++i) y[i] += x[i];
                    });
  }

  /// The mean of the softmax cross-entropy over the batch, and its gradient in the last layer's.
  double loss_and_gradient(const LabelledImages& images, std::span<const std::uint32_t> rows) {
    const float* logits = activations_.back().value.as<float>();
    auto* gradient = activations_.back().gradient.as<float>();
    const auto share = 1.0F / static_cast<float>(rows.size());
    double loss = 0;
    for (std::size_t r = 0; r < rows.size(); ++r, logits += classes, gradient += classes) {
      const std::size_t label = images.labels[rows[r]];
      const float largest = *std::max_element(logits, logits + classes);
      float sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) {
        gradient[c] = std::exp(logits[c] - largest);
        sum += gradient[c];
      }
      loss += std::log(static_cast<double>(sum)) - static_cast<double>(logits[label] - largest);
      for (std::int64_t c = 0; c < classes; ++c) gradient[c] *= share / sum;
      gradient[label] -= share;
    }
    return loss / static_cast<double>(rows.size());
  }

  ModelTask task_;
  Device device_;
  Activations input_;
  std::vector<Activations> activations_;  // of each layer's output
  std::vector<std::unique_ptr<LayerWork>> work_;
  std::vector<Parameter*> parameters_;
  std::int64_t steps_ = 0;
};

std::vector<Dtype> dtypes() {
  return {Dtype::f32};
}

std::unique_ptr<Model> make(ModelTask task) {
  return std::make_unique<OnednnModel>(std::move(task));
}

const OperationRegistration train({"train", dtypes, [](const Case& c, std::uint64_t seed) {
                                     return make_training(c, seed, make);
                                   }});
const OperationRegistration infer({"infer", dtypes, [](const Case& c, std::uint64_t seed) {
                                     return make_inference(c, seed, make);
                                   }});

}  // namespace
}  // namespace breakeven::onednn
