// Dense layers and convolutions: a weighted sum, a bias, an activation. Only their primitives differ.
#include <fmt/format.h>

#include <optional>

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/implementation_names.h"
#include "backends/onednn/layers.h"
#include "worker/backend.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

/// The primitives of dense layers, described by `tensors`: source, weights, bias (if it is read or written)
/// and result. DirectConvolution has those of convolutions.
struct InnerProduct {
  using Forward = dnnl::inner_product_forward;
  using BackwardData = dnnl::inner_product_backward_data;
  using BackwardWeights = dnnl::inner_product_backward_weights;

  auto forward(const LayerSite& site, const dnnl::primitive_attr& attributes, const auto&... tensors) const {
    return first_implementation<Forward>(site.device.engine, attributes, {}, site.propagation(), tensors...);
  }
  template <typename Backward>
  auto backward(const LayerSite& site, const Forward::primitive_desc& hint, const auto&... tensors) const {
    return first_implementation<Backward>(site.device.engine, strict_attributes(), std::tuple(hint),
                                          tensors...);
  }
};

struct DirectConvolution {
  using Forward = dnnl::convolution_forward;
  using BackwardData = dnnl::convolution_backward_data;
  using BackwardWeights = dnnl::convolution_backward_weights;

  Dims strides, padding;

  static constexpr auto direct = dnnl::algorithm::convolution_direct;

  auto forward(const LayerSite& site, const dnnl::primitive_attr& attributes, const auto&... tensors) const {
    return first_implementation<Forward>(site.device.engine, attributes, {}, site.propagation(), direct,
                                         tensors..., strides, padding, padding);
  }
  template <typename Backward>
  auto backward(const LayerSite& site, const Forward::primitive_desc& hint, const auto&... tensors) const {
    return first_implementation<Backward>(site.device.engine, strict_attributes(), std::tuple(hint), direct,
                                          tensors..., strides, padding, padding);
  }
};

using Type = dnnl::memory::data_type;

Desc any(const Dims& dims, Type type) {
  return {dims, type, Tag::any};
}

/// The shapes of a layer's tensors: the source in its present layout, the weights, and the result.
struct Shapes {
  Desc lies;
  Dims weights, result;
  bool any_layout = false;  // primitives choose the layouts of source and result

  /// The source in the type that a primitive needs.
  Desc source(Type type) const {
    if (any_layout) return any(dimensions(lies), type);
    return source_as_it_lies(type);
  }
  /// The same, in a layout as close as possible to the present one.
  Desc source_as_it_lies(Type type) const {
    return data_type(lies) == type ? lies : plain(dimensions(lies), type);
  }
  Desc result_of(Type type) const { return any_layout ? any(result, type) : plain(result, type); }
};

template <typename Primitives>
class Linear final : public LayerWork {
 public:
  Linear(const LayerSite& site, Primitives primitives, const Shapes& shapes)
      : LayerWork(site),
        device_(site.device),
        layer_(*site.layer),
        pool_follows_(site.pool_follows),
        product_type_(site.product_type()) {
    const Dims bias_dims{shapes.weights.at(0)};
    // GELU's gradient needs GELU's input, so training cannot fuse it.
    separate_gelu_ = layer_.activation == Activation::gelu && site.training();
    dnnl::primitive_attr attributes = strict_attributes();
    if (layer_.activation != Activation::none && !separate_gelu_) {
      dnnl::post_ops operations;
      append_activation(operations, layer_.activation == Activation::relu
                                        ? dnnl::algorithm::eltwise_relu
                                        : dnnl::algorithm::eltwise_gelu_erf);
      attributes.set_post_ops(operations);
    }
    const auto forward =
        primitives.forward(site, attributes, shapes.source(product_type_), any(shapes.weights, product_type_),
                           plain(bias_dims), shapes.result_of(site.output_type));
    implementation_ = forward.impl_info_str();
    if (product_type_ != f32 && is_reference(implementation_))
      throw Unsupported(fmt::format(
          "oneDNN has only its slow reference implementation of layer {} on this CPU", layer_.name));
    site.allocate_output(forward.dst_desc());
    // Weights multiplied in f32 are kept in the layout that the forward pass prefers. Otherwise products read
    // rounded copies, in any layout, and the f32 weights are kept in the layout of their gradient.
    Desc kept = product_type_ == f32 ? forward.weights_desc() : plain(shapes.weights);
    std::optional<WeightsDescriptor> weights_gradient;
    if (site.training()) {
      weights_gradient = describe_weights_gradient(site, primitives, shapes, forward);
      if (product_type_ != f32) kept = weights_gradient->diff_weights_desc();
    }
    weights_ =
        std::make_unique<Parameter>(device_, *site.task, layer_.weights.value(), plain(shapes.weights), kept);
    bias_ = std::make_unique<Parameter>(device_, *site.task, layer_.bias.value(), plain(bias_dims),
                                        plain(bias_dims));

    if (separate_gelu_) before_ = Tensor(device_, forward.dst_desc());
    source_ = Relaid::to_read(device_, as_read(site.input->value, shapes.lies), forward.src_desc());
    weights_read_ = Relaid::to_read(device_, weights_->value().memory(), forward.weights_desc());
    forward_ = Step(typename Primitives::Forward(forward),
                    {{DNNL_ARG_SRC, source_.memory()},
                     {DNNL_ARG_WEIGHTS, weights_read_.memory()},
                     {DNNL_ARG_BIAS, bias_->value().memory()},
                     {DNNL_ARG_DST, separate_gelu_ ? before_.memory() : output_.value.memory()}});
    if (separate_gelu_) gelu_ = Gelu(device_, before_.memory(), output_);
    if (!site.training()) return;
    prepare_weights_gradient(site, shapes, *weights_gradient);
    if (site.wants_input_gradient) prepare_source_gradient(site, primitives, shapes, forward);
  }

  void parameters_changed() override {
    weights_read_.convert(device_);
    device_.stream.wait();
  }

  void forward() override {
    source_.convert(device_);
    forward_.run(device_);
    if (separate_gelu_) gelu_.forward(device_);
    device_.stream.wait();
  }

  void backward() override {
    if (layer_.activation == Activation::relu && !pool_follows_) mask_relu(output_);
    if (separate_gelu_) gelu_.backward(device_);
    result_for_weights_.convert(device_);
    source_for_weights_.convert(device_);
    backward_weights_.run(device_);
    weights_gradient_.convert(device_);
    if (backward_data_) {
      result_for_data_.convert(device_);
      weights_for_data_.convert(device_);
      backward_data_.run(device_);
      source_gradient_.convert(device_);
    }
    device_.stream.wait();
  }

  std::vector<Parameter*> parameters() override { return {weights_.get(), bias_.get()}; }
  std::string algorithm() const override {
    return fmt::format("{} {} {}", layer_.name, implementation_, layout_name(weights_->value().desc()));
  }

 private:
  /// The same memory in the shape that the layer reads: flattening is free.
  dnnl::memory as_read(const Tensor& tensor, const Desc& shape) const {
    return {shape, device_.engine, tensor.memory().get_data_handle()};
  }

  /// Chooses a gradient's implementation: the one that the library prefers when it is free to choose all
  /// layouts, and of the descriptors with that implementation, the one with the fewest reorders. The
  /// primitive reads or writes the source in `source_type`; `weights` is the preferred layout of its weights.
  auto without_reorders(const auto& describe, const Shapes& shapes, Type source_type,
                        const Desc& weights) const {
    const Desc free_weights = any(shapes.weights, data_type(weights));
    auto best = describe(shapes.source(source_type), free_weights, shapes.result_of(product_type_));
    const std::string implementation = best.impl_info_str();
    const Desc lies = output_.value.desc();
    const Desc result = data_type(lies) == product_type_ ? lies : shapes.result_of(product_type_);
    for (const Desc& these : {weights, free_weights}) {
      auto found = describe(shapes.source_as_it_lies(source_type), these, result);
      if (found.impl_info_str() == implementation) return found;
    }
    return best;
  }

  using ForwardDescriptor = typename Primitives::Forward::primitive_desc;
  using WeightsDescriptor = typename Primitives::BackwardWeights::primitive_desc;

  WeightsDescriptor describe_weights_gradient(const LayerSite& site, const Primitives& primitives,
                                              const Shapes& shapes, const ForwardDescriptor& forward) const {
    const Desc bias = plain({shapes.weights.at(0)});
    const Desc kept = product_type_ == f32 ? forward.weights_desc() : any(shapes.weights, f32);
    return without_reorders(
        [&](const Desc& source, const Desc& weights, const Desc& result) {
          return primitives.template backward<typename Primitives::BackwardWeights>(site, forward, source,
                                                                                    weights, bias, result);
        },
        shapes, product_type_, kept);
  }

  void prepare_weights_gradient(const LayerSite& site, const Shapes& shapes, const WeightsDescriptor& of) {
    source_for_weights_ = Relaid::to_read(device_, as_read(site.input->value, shapes.lies), of.src_desc());
    result_for_weights_ = Relaid::to_read(device_, output_.gradient.memory(), of.diff_dst_desc());
    weights_gradient_ = Relaid::to_write(device_, weights_->gradient().memory(), of.diff_weights_desc());
    backward_weights_ =
        Step(typename Primitives::BackwardWeights(of), {{DNNL_ARG_SRC, source_for_weights_.memory()},
                                                        {DNNL_ARG_DIFF_DST, result_for_weights_.memory()},
                                                        {DNNL_ARG_DIFF_WEIGHTS, weights_gradient_.memory()},
                                                        {DNNL_ARG_DIFF_BIAS, bias_->gradient().memory()}});
  }

  void prepare_source_gradient(const LayerSite& site, const Primitives& primitives, const Shapes& shapes,
                               const ForwardDescriptor& forward) {
    const auto of = without_reorders(
        [&](const Desc& source, const Desc& weights, const Desc& result) {
          return primitives.template backward<typename Primitives::BackwardData>(site, forward, source,
                                                                                 weights, result);
        },
        shapes, data_type(shapes.lies), forward.weights_desc());
    // Reuses tensors that other primitives read, if the layouts are equal.
    const bool same_weights = of.weights_desc() == forward.weights_desc();
    const bool same_result = of.diff_dst_desc() == result_for_weights_.memory().get_desc();
    weights_for_data_ = Relaid::to_read(
        device_, same_weights ? weights_read_.memory() : weights_->value().memory(), of.weights_desc());
    result_for_data_ = Relaid::to_read(
        device_, same_result ? result_for_weights_.memory() : output_.gradient.memory(), of.diff_dst_desc());
    source_gradient_ =
        Relaid::to_write(device_, as_read(site.input->gradient, shapes.lies), of.diff_src_desc());
    backward_data_ =
        Step(typename Primitives::BackwardData(of), {{DNNL_ARG_DIFF_DST, result_for_data_.memory()},
                                                     {DNNL_ARG_WEIGHTS, weights_for_data_.memory()},
                                                     {DNNL_ARG_DIFF_SRC, source_gradient_.memory()}});
  }

  Device device_;
  Layer layer_;
  bool pool_follows_;
  Type product_type_;  // type of the operands of products
  bool separate_gelu_ = false;
  std::string implementation_;
  std::unique_ptr<Parameter> weights_, bias_;
  Tensor before_;  // GELU's input
  Gelu gelu_;
  Relaid source_, source_for_weights_, result_for_weights_, result_for_data_;
  Relaid weights_read_, weights_for_data_, weights_gradient_, source_gradient_;
  Step forward_, backward_weights_, backward_data_;
};

std::unique_ptr<LayerWork> make_dense(const LayerSite& site) {
  const Layer& layer = *site.layer;
  const Desc before = site.input->value.desc();
  const Dims rows{site.batch() * layer.tokens, layer.out};
  // After a convolution, the weights are treated as filters that cover the whole image, in its layout.
  if (const Dims image = dimensions(before); image.size() == 4 && layout_name(before) != "abcd") {
    if (layer.tokens != 1) throw Unsupported(fmt::format("layer {} cuts images into tokens", layer.name));
    const Shapes shapes{.lies = before, .weights = {layer.out, image[1], image[2], image[3]}, .result = rows};
    return std::make_unique<Linear<InnerProduct>>(site, InnerProduct{}, shapes);
  }
  const Shapes shapes{.lies = plain({rows[0], layer.in}, data_type(before)),
                      .weights = {layer.out, layer.in},
                      .result = rows};
  return std::make_unique<Linear<InnerProduct>>(site, InnerProduct{}, shapes);
}

std::unique_ptr<LayerWork> make_convolution(const LayerSite& site) {
  const Layer& layer = *site.layer;
  // Any layout of the source: for few channels in the layout of the previous layer, the library has only its
  // reference implementation.
  const Shapes shapes{.lies = site.input->value.desc(),
                      .weights = {layer.k, layer.c, layer.filter, layer.filter},
                      .result = {site.batch(), layer.k, layer.p, layer.q},
                      .any_layout = true};
  return std::make_unique<Linear<DirectConvolution>>(
      site, DirectConvolution{{layer.stride, layer.stride}, {layer.pad, layer.pad}}, shapes);
}

const Layers::Registration dense_layer(LayerKind::dense, make_dense);
const Layers::Registration conv2d_layer(LayerKind::conv2d, make_convolution);

}  // namespace
}  // namespace breakeven::onednn
