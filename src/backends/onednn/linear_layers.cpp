// Dense layers and convolutions: a weighted sum, a bias, an activation. They differ in their primitives only.
#include <fmt/format.h>

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/layers.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;

/// The primitives of one kind of layer, and their arguments after the tensors.
struct InnerProduct {
  using Forward = dnnl::inner_product_forward;
  using BackwardData = dnnl::inner_product_backward_data;
  using BackwardWeights = dnnl::inner_product_backward_weights;

  Forward::primitive_desc forward(const LayerSite& site, const dnnl::primitive_attr& attributes,
                                  const Desc& source, const Desc& weights, const Desc& bias,
                                  const Desc& result) const {
    return first_implementation<Forward>(site.device.engine, attributes, {}, site.propagation(), source,
                                         weights, bias, result);
  }
  BackwardData::primitive_desc backward_data(const LayerSite& site, const Forward::primitive_desc& hint,
                                             const Desc& source, const Desc& weights,
                                             const Desc& result) const {
    return first_implementation<BackwardData>(site.device.engine, strict_attributes(), std::tuple(hint),
                                              source, weights, result);
  }
  BackwardWeights::primitive_desc backward_weights(const LayerSite& site, const Forward::primitive_desc& hint,
                                                   const Desc& source, const Desc& weights, const Desc& bias,
                                                   const Desc& result) const {
    return first_implementation<BackwardWeights>(site.device.engine, strict_attributes(), std::tuple(hint),
                                                 source, weights, bias, result);
  }
};

struct DirectConvolution {
  using Forward = dnnl::convolution_forward;
  using BackwardData = dnnl::convolution_backward_data;
  using BackwardWeights = dnnl::convolution_backward_weights;

  Dims strides, padding;

  static constexpr auto direct = dnnl::algorithm::convolution_direct;

  Forward::primitive_desc forward(const LayerSite& site, const dnnl::primitive_attr& attributes,
                                  const Desc& source, const Desc& weights, const Desc& bias,
                                  const Desc& result) const {
    return first_implementation<Forward>(site.device.engine, attributes, {}, site.propagation(), direct,
                                         source, weights, bias, result, strides, padding, padding);
  }
  BackwardData::primitive_desc backward_data(const LayerSite& site, const Forward::primitive_desc& hint,
                                             const Desc& source, const Desc& weights,
                                             const Desc& result) const {
    return first_implementation<BackwardData>(site.device.engine, strict_attributes(), std::tuple(hint),
                                              direct, source, weights, result, strides, padding, padding);
  }
  BackwardWeights::primitive_desc backward_weights(const LayerSite& site, const Forward::primitive_desc& hint,
                                                   const Desc& source, const Desc& weights, const Desc& bias,
                                                   const Desc& result) const {
    return first_implementation<BackwardWeights>(site.device.engine, strict_attributes(), std::tuple(hint),
                                                 direct, source, weights, bias, result, strides, padding,
                                                 padding);
  }
};

/// The tensors of a layer: the source as it lies and as the primitives may want it, the shape of the weights,
/// and the result.
struct Shapes {
  Desc lies, source;
  Dims weights;
  Desc result;
};

Desc plain(const Dims& dims) {
  return {dims, f32, dims.size() == 1 ? Tag::a : dims.size() == 2 ? Tag::ab : Tag::abcd};
}
Desc any(const Dims& dims) {
  return {dims, f32, Tag::any};
}

template <typename Primitives>
class Linear final : public LayerWork {
 public:
  Linear(const LayerSite& site, Primitives primitives, const Shapes& shapes)
      : device_(site.device), layer_(*site.layer), output_(*site.output), pool_follows_(site.pool_follows) {
    const Dims bias_dims{shapes.weights.at(0)};
    // GELU's gradient needs what went into it, so that training cannot fuse it.
    separate_gelu_ = layer_.activation == Activation::gelu && site.training();
    dnnl::primitive_attr attributes = strict_attributes();
    if (layer_.activation != Activation::none && !separate_gelu_) {
      dnnl::post_ops operations;
      append_activation(operations, layer_.activation == Activation::relu
                                        ? dnnl::algorithm::eltwise_relu
                                        : dnnl::algorithm::eltwise_gelu_erf);
      attributes.set_post_ops(operations);
    }
    const auto forward = primitives.forward(site, attributes, shapes.source, any(shapes.weights),
                                            plain(bias_dims), shapes.result);
    implementation_ = forward.impl_info_str();

    weights_ = std::make_unique<Parameter>(device_, *site.task, layer_.weights.value(), plain(shapes.weights),
                                           forward.weights_desc());
    bias_ = std::make_unique<Parameter>(device_, *site.task, layer_.bias.value(), plain(bias_dims),
                                        forward.bias_desc());
    site.allocate_output(forward.dst_desc());
    if (separate_gelu_) before_ = Tensor(device_, forward.dst_desc());
    source_ = Relaid(device_, as_read(site.input->value, shapes.lies), forward.src_desc());
    forward_ = Step(typename Primitives::Forward(forward),
                    {{DNNL_ARG_SRC, source_.memory()},
                     {DNNL_ARG_WEIGHTS, weights_->value().memory()},
                     {DNNL_ARG_BIAS, bias_->value().memory()},
                     {DNNL_ARG_DST, separate_gelu_ ? before_.memory() : output_.value.memory()}});
    if (separate_gelu_) gelu_ = Gelu(device_, before_.memory(), output_);
    if (site.training()) prepare_backward(site, primitives, shapes, forward);
  }

  void forward() override {
    source_.bring_here(device_);
    forward_.run(device_);
    if (separate_gelu_) gelu_.forward(device_);
    device_.stream.wait();
  }

  void backward() override {
    if (layer_.activation == Activation::relu && !pool_follows_) mask_relu(output_);
    if (separate_gelu_) gelu_.backward(device_);
    result_for_weights_.bring_here(device_);
    source_for_weights_.bring_here(device_);
    backward_weights_.run(device_);
    weights_gradient_.bring_back(device_);
    if (backward_data_) {
      result_for_data_.bring_here(device_);
      weights_for_data_.bring_here(device_);
      backward_data_.run(device_);
      source_gradient_.bring_back(device_);
    }
    device_.stream.wait();
  }

  std::vector<Parameter*> parameters() override { return {weights_.get(), bias_.get()}; }
  std::string algorithm() const override {
    return fmt::format("{} {} {}", layer_.name, implementation_, layout_name(weights_->value().desc()));
  }

 private:
  /// The same memory, seen in the shape that the layer reads: to flatten costs nothing.
  dnnl::memory as_read(const Tensor& tensor, const Desc& shape) const {
    return {shape, device_.engine, tensor.memory().get_data_handle()};
  }

  /// A gradient's implementation. What the library likes best when free to choose all layouts is the measure:
  /// of the descriptors with that implementation, the one that needs the fewest reorders.
  auto without_reorders(const auto& describe, const Shapes& shapes, const Desc& result) const {
    auto best = describe(shapes.source, any(shapes.weights), shapes.result);
    const std::string implementation = best.impl_info_str();
    for (const Desc& weights : {weights_->value().desc(), any(shapes.weights)}) {
      auto found = describe(shapes.lies, weights, result);
      if (found.impl_info_str() == implementation) return found;
    }
    return best;
  }

  void prepare_backward(const LayerSite& site, const Primitives& primitives, const Shapes& shapes,
                        const typename Primitives::Forward::primitive_desc& forward) {
    const Desc bias = bias_->value().desc();
    const Desc result = output_.value.desc();
    const auto weights = without_reorders(
        [&](const Desc& source, const Desc& kernel, const Desc& to) {
          return primitives.backward_weights(site, forward, source, kernel, bias, to);
        },
        shapes, result);
    source_for_weights_ = Relaid(device_, as_read(site.input->value, shapes.lies), weights.src_desc());
    result_for_weights_ = Relaid(device_, output_.gradient.memory(), weights.diff_dst_desc());
    weights_gradient_ = Relaid(device_, weights_->gradient().memory(), weights.diff_weights_desc());
    backward_weights_ = Step(typename Primitives::BackwardWeights(weights),
                             {{DNNL_ARG_SRC, source_for_weights_.memory()},
                              {DNNL_ARG_DIFF_DST, result_for_weights_.memory()},
                              {DNNL_ARG_DIFF_WEIGHTS, weights_gradient_.memory()},
                              {DNNL_ARG_DIFF_BIAS, bias_->gradient().memory()}});
    if (!site.wants_input_gradient) return;
    const auto data = without_reorders(
        [&](const Desc& source, const Desc& kernel, const Desc& to) {
          return primitives.backward_data(site, forward, source, kernel, to);
        },
        shapes, result);
    result_for_data_ = Relaid(device_, output_.gradient.memory(), data.diff_dst_desc());
    weights_for_data_ = Relaid(device_, weights_->value().memory(), data.weights_desc());
    source_gradient_ = Relaid(device_, as_read(site.input->gradient, shapes.lies), data.diff_src_desc());
    backward_data_ =
        Step(typename Primitives::BackwardData(data), {{DNNL_ARG_DIFF_DST, result_for_data_.memory()},
                                                       {DNNL_ARG_WEIGHTS, weights_for_data_.memory()},
                                                       {DNNL_ARG_DIFF_SRC, source_gradient_.memory()}});
  }

  Device device_;
  Layer layer_;
  Activations& output_;
  bool pool_follows_;
  bool separate_gelu_ = false;
  std::string implementation_;
  std::unique_ptr<Parameter> weights_, bias_;
  Tensor before_;  // what goes into GELU
  Gelu gelu_;
  Relaid source_, source_for_weights_, result_for_weights_, result_for_data_, weights_for_data_;
  Relaid weights_gradient_, source_gradient_;
  Step forward_, backward_weights_, backward_data_;
};

}  // namespace

std::unique_ptr<LayerWork> make_dense(const LayerSite& site) {
  const Layer& layer = *site.layer;
  const Desc before = site.input->value.desc();
  const Dims rows{site.batch() * layer.tokens, layer.out};
  // Behind a convolution the weights are seen as filters that cover all of the image, in its layout.
  if (const Dims image = dimensions(before); image.size() == 4 && layout_name(before) != "abcd") {
    if (layer.tokens != 1) throw Unsupported(fmt::format("layer {} cuts images into tokens", layer.name));
    const Shapes shapes{before, before, {layer.out, image[1], image[2], image[3]}, plain(rows)};
    return std::make_unique<Linear<InnerProduct>>(site, InnerProduct{}, shapes);
  }
  const Desc source = plain({rows[0], layer.in});
  const Shapes shapes{source, source, {layer.out, layer.in}, plain(rows)};
  return std::make_unique<Linear<InnerProduct>>(site, InnerProduct{}, shapes);
}

std::unique_ptr<LayerWork> make_convolution(const LayerSite& site) {
  const Layer& layer = *site.layer;
  // Any layout of the source: with few channels the library has only its reference for the one before it.
  const Shapes shapes{site.input->value.desc(),
                      any({site.batch(), layer.c, layer.h, layer.w}),
                      {layer.k, layer.c, layer.filter, layer.filter},
                      any({site.batch(), layer.k, layer.p, layer.q})};
  return std::make_unique<Linear<DirectConvolution>>(
      site, DirectConvolution{{layer.stride, layer.stride}, {layer.pad, layer.pad}}, shapes);
}

}  // namespace breakeven::onednn
