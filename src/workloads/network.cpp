#include "workloads/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/random.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// Appends layers. Each takes the size of its input from the layer before.
class Builder {
 public:
  explicit Builder(std::string name) { network_.name = std::move(name); }

  void conv2d(std::int64_t filters, std::int64_t filter, std::int64_t pad, Activation activation) {
    Layer layer = spatial(LayerKind::conv2d, fmt::format("conv{}", ++convolutions_));
    layer.activation = activation;
    layer.k = filters;
    layer.filter = filter;
    layer.pad = pad;
    layer.p = layer.h + 2 * pad - filter + 1;
    layer.q = layer.w + 2 * pad - filter + 1;
    add_weights(layer, {filters, layer.c, filter, filter});
    push(std::move(layer));
  }

  void max_pool() {
    Layer layer = spatial(LayerKind::max_pool, fmt::format("pool{}", ++pools_));
    layer.k = layer.c;
    layer.filter = 2;
    layer.stride = 2;
    layer.p = layer.h / 2;
    layer.q = layer.w / 2;
    push(std::move(layer));
  }

  /// Adds a dense layer on `tokens` tokens of the previous output; 1 flattens it.
  std::size_t dense(std::string name, std::int64_t tokens, std::int64_t out, Activation activation,
                    std::optional<std::size_t> add_from = std::nullopt) {
    const std::int64_t before = network_.layers.empty() ? image_pixels : last().output_elements();
    Layer layer = on_tokens(LayerKind::dense, std::move(name), tokens, before / tokens, out);
    layer.activation = activation;
    layer.add_from = add_from;
    add_weights(layer, {out, layer.in});
    return push(std::move(layer));
  }

  std::size_t positions(std::string name) {
    Layer layer = on_tokens(LayerKind::positions, std::move(name), last().tokens, last().out, last().out);
    layer.weights = add_parameter(layer.name + ".weight", {layer.tokens, layer.out}, Start::uniform, 0.02F);
    return push(std::move(layer));
  }

  std::size_t attention(std::string name, std::int64_t heads) {
    Layer layer = on_tokens(LayerKind::attention, std::move(name), last().tokens, last().out, last().out / 3);
    layer.heads = heads;
    return push(std::move(layer));
  }

  std::size_t layer_norm(std::string name) {
    Layer layer = on_tokens(LayerKind::layer_norm, std::move(name), last().tokens, last().out, last().out);
    layer.weights = add_parameter(layer.name + ".weight", {layer.out}, Start::ones, 1);
    layer.bias = add_parameter(layer.name + ".bias", {layer.out}, Start::zeros, 0);
    return push(std::move(layer));
  }

  std::size_t mean_tokens(std::string name) {
    return push(on_tokens(LayerKind::mean_tokens, std::move(name), last().tokens, last().out, last().out));
  }

  /// Adds dense layers with ReLU of these widths, and one of the classes: dense1, dense2, ...
  void add_classifier(const std::vector<std::int64_t>& widths) {
    int number = 0;
    for (const std::int64_t width : widths)
      dense(fmt::format("dense{}", ++number), 1, width, Activation::relu);
    dense(fmt::format("dense{}", ++number), 1, classes, Activation::none);
  }

  Network take() { return std::move(network_); }

 private:
  using Start = ParameterTensor::Start;

  const Layer& last() const { return network_.layers.back(); }

  std::size_t push(Layer layer) {
    network_.layers.push_back(std::move(layer));
    return network_.layers.size() - 1;
  }

  Layer spatial(LayerKind kind, std::string name) const {
    Layer layer;
    layer.kind = kind;
    layer.name = std::move(name);
    const bool first = network_.layers.empty();
    layer.c = first ? 1 : last().k;
    layer.h = first ? image_side : last().p;
    layer.w = first ? image_side : last().q;
    return layer;
  }

  static Layer on_tokens(LayerKind kind, std::string name, std::int64_t tokens, std::int64_t in,
                         std::int64_t out) {
    Layer layer;
    layer.kind = kind;
    layer.name = std::move(name);
    layer.tokens = tokens;
    layer.in = in;
    layer.out = out;
    return layer;
  }

  std::size_t add_parameter(std::string name, std::vector<std::int64_t> shape, Start start, float scale) {
    network_.parameters.push_back(
        {.name = std::move(name), .shape = std::move(shape), .start = start, .scale = scale});
    return network_.parameters.size() - 1;
  }

  /// Adds weights of this shape, whose first side is that of the outputs, and a bias for each of these.
  void add_weights(Layer& layer, std::vector<std::int64_t> shape) {
    const std::int64_t outputs = shape.front();
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(layer.sum_length())));
    layer.weights = add_parameter(layer.name + ".weight", std::move(shape), Start::uniform, scale);
    layer.bias = add_parameter(layer.name + ".bias", {outputs}, Start::uniform, scale);
  }

  Network network_;
  int convolutions_ = 0;
  int pools_ = 0;
};

/// The sizes of a network that a config may set; 0 selects the network's own.
struct Sizes {
  std::int64_t width = 0, heads = 0, hidden = 0;
};

std::int64_t chosen(std::int64_t value, std::int64_t own) {
  return value == 0 ? own : value;
}

/// Throws if one of these sizes is chosen, because the network does not have it or has a fixed one.
void refuse_sizes(std::string_view network, const Sizes& sizes) {
  for (const auto& [parameter, value] :
       {std::pair{"width", sizes.width}, {"heads", sizes.heads}, {"hidden", sizes.hidden}}) {
    if (value != 0)
      throw InvalidCase(parameter,
                        fmt::format("network '{}' has no {} to choose: leave it out", network, parameter));
  }
}

Network make_mlp(const Sizes& sizes) {
  refuse_sizes("mlp", {.heads = sizes.heads, .hidden = sizes.hidden});
  const std::int64_t width = chosen(sizes.width, 512);
  Builder network("mlp");
  network.add_classifier({width, width});
  return network.take();
}

Network make_lenet(const Sizes& sizes) {
  refuse_sizes("lenet", sizes);
  Builder network("lenet");
  network.conv2d(6, 5, 2, Activation::relu);
  network.max_pool();
  network.conv2d(16, 5, 0, Activation::relu);
  network.max_pool();
  network.add_classifier({120, 84});
  return network.take();
}

Network make_cnn(const Sizes& sizes) {
  refuse_sizes("cnn", sizes);
  Builder network("cnn");
  network.conv2d(32, 3, 0, Activation::relu);
  network.conv2d(64, 3, 0, Activation::relu);
  network.max_pool();
  network.add_classifier({128});
  return network.take();
}

Network make_transformer(const Sizes& sizes) {
  const std::int64_t width = chosen(sizes.width, 128);
  const std::int64_t heads = chosen(sizes.heads, 4);
  const std::int64_t hidden = chosen(sizes.hidden, 512);
  if (width % heads != 0)
    throw InvalidCase("heads", fmt::format("a width of {} cannot be split into {} heads", width, heads));
  constexpr std::int64_t tokens = image_side;
  Builder network("transformer");
  network.dense("embed", tokens, width, Activation::none);
  const auto embedded = network.positions("positions");
  network.dense("qkv", tokens, 3 * width, Activation::none);
  network.attention("attention", heads);
  network.dense("project", tokens, width, Activation::none, embedded);
  const auto attended = network.layer_norm("norm1");
  network.dense("feed1", tokens, hidden, Activation::gelu);
  network.dense("feed2", tokens, width, Activation::none, attended);
  network.layer_norm("norm2");
  network.mean_tokens("mean");
  network.dense("classify", 1, classes, Activation::none);
  return network.take();
}

struct Named {
  std::string name, display_name;
  Network (*make)(const Sizes&);
};

const std::vector<Named>& networks() {
  static const std::vector<Named> all{{"mlp", "the MLP", make_mlp},
                                      {"lenet", "LeNet", make_lenet},
                                      {"cnn", "the CNN", make_cnn},
                                      {"transformer", "the transformer", make_transformer}};
  return all;
}

/// The sum of flop(layer) of all layers.
double sum_of_layers(const Network& network, double (*flop)(const Layer&)) {
  double sum = 0;
  for (const Layer& layer : network.layers) sum += flop(layer);
  return sum;
}

/// The operations of the fastest algorithm.
double least_flop_of_layer(const Layer& layer) {
  return flop_forward(layer) /
         (layer.kind == LayerKind::conv2d ? static_cast<double>(layer.filter * layer.filter) : 1.0);
}

}  // namespace

std::int64_t Layer::sum_length() const {
  switch (kind) {
    case LayerKind::dense:
    case LayerKind::layer_norm:
      return in;
    case LayerKind::conv2d:
      return c * filter * filter;
    case LayerKind::attention:
      return std::max(tokens, out / heads);
    case LayerKind::mean_tokens:
      return tokens;
    case LayerKind::max_pool:
    case LayerKind::positions:
      return 1;
  }
  return 1;
}

std::int64_t ParameterTensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Network::parameter_elements() const {
  return std::accumulate(parameters.begin(), parameters.end(), std::int64_t{0},
                         [](std::int64_t sum, const ParameterTensor& t) { return sum + t.elements(); });
}

std::int64_t Network::activation_elements() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const Layer& l) { return sum + l.output_elements(); });
}

const std::vector<std::string>& network_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Named& network : networks()) all.push_back(network.name);
    return all;
  }();
  return names;
}

std::string network_display_name(const std::string& name) {
  const auto found = std::find_if(networks().begin(), networks().end(),
                                  [&](const Named& network) { return network.name == name; });
  return found == networks().end() ? name : found->display_name;
}

Network make_network(const Parameters& parameters) {
  const Sizes sizes{.width = parameters.integer("width"),
                    .heads = parameters.integer("heads"),
                    .hidden = parameters.integer("hidden")};
  const std::string& name = parameters.text("network");
  for (const Named& network : networks()) {
    if (network.name == name) return network.make(sizes);
  }
  throw InvalidCase("network", fmt::format("network is '{}' and must be one of {}", name,
                                           fmt::join(network_names(), ", ")));
}

std::vector<float> initial_values(const Network& network, std::size_t index, std::uint64_t seed) {
  const ParameterTensor& tensor = network.parameters.at(index);
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()),
                            tensor.start == ParameterTensor::Start::ones ? 1.0F : 0.0F);
  if (tensor.start != ParameterTensor::Start::uniform) return values;
  const RandomStream numbers(seed, stream::parameters + index);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = numbers.uniform(i) * tensor.scale;
  return values;
}

double flop_forward(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::dense:
    case LayerKind::conv2d:
      return 2.0 * static_cast<double>(layer.output_elements()) * static_cast<double>(layer.sum_length());
    case LayerKind::attention:
      return 4.0 * static_cast<double>(layer.tokens) * static_cast<double>(layer.tokens) *
             static_cast<double>(layer.out);
    case LayerKind::max_pool:
    case LayerKind::positions:
    case LayerKind::layer_norm:
    case LayerKind::mean_tokens:
      return 0;
  }
  return 0;
}

double flop_forward(const Network& network) {
  return sum_of_layers(network, flop_forward);
}

double flop_backward(const Network& network) {
  return 2 * flop_forward(network) - flop_forward(network.layers.front());
}

double least_flop_forward(const Network& network) {
  return sum_of_layers(network, least_flop_of_layer);
}

double least_flop_backward(const Network& network) {
  return 2 * least_flop_forward(network) - least_flop_of_layer(network.layers.front());
}

}  // namespace breakeven
