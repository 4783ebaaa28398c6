#include "workloads/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "workloads/transfer.h"

namespace breakeven {

std::vector<Parameter> network_parameters(std::vector<Parameter> more) {
  constexpr std::int64_t most = 1 << 16;
  std::vector<Parameter> all{
      choice_parameter("network", "what the network is built of (src/workloads/network.h)", network_names()),
      integer_parameter("batch", "images in one step", 1, most),
      integer_parameter("width",
                        "width of the mlp's hidden layers, or of the transformer; 0: the network's own", 0,
                        most, 0),
      integer_parameter("heads", "attention heads of the transformer; 0: its own", 0, most, 0),
      integer_parameter("hidden", "feed-forward width of the transformer; 0: its own", 0, most, 0),
  };
  std::move(more.begin(), more.end(), std::back_inserter(all));
  std::vector<Parameter> data = with_transfer({
      text_parameter("data", "folder of the data set: IDX files, gzip or not", default_dataset),
      added_later(boolean_parameter(
          "graph",
          "submit a step, or a batch, as one CUDA graph; false: call by call. For cuda and "
          "pytorch-cuda-compiled; other PyTorch backends refuse false, and the rest ignores it",
          true)),
      added_later(boolean_parameter(
          "fused",
          "bias, activations and their gradients in the kernels of products and convolutions, where "
          "libraries have such; false: in kernels of their own. Only the backend cuda has this choice; "
          "others ignore it",
          true)),
      tuned_parameter(),
      dtype_parameter(dtypes_of_networks()),
  });
  std::move(data.begin(), data.end(), std::back_inserter(all));
  return all;
}

std::string NetworkWorkload::title(const Parameters& given) const {
  std::string title = given.text("network");
  for (const auto& [name, value] : not_at_default(parameters(), given)) {
    if (name != "network") title += fmt::format(", {} {}", name, to_string(*value));
  }
  return fmt::format("{}, {}", title, given.text("dtype"));
}

double parameter_bytes(const Network& network, Dtype dtype) {
  return static_cast<double>(network.parameter_elements()) * static_cast<double>(facts(dtype).bytes());
}

double activation_bytes(const Network& network, Dtype dtype) {
  return static_cast<double>(network.activation_elements()) * static_cast<double>(facts(dtype).bytes());
}

double image_bytes(Dtype dtype) {
  return static_cast<double>(image_pixels + classes) * static_cast<double>(facts(dtype).bytes());
}

OutputShape NetworkWorkload::output(const Parameters& parameters) const {
  return {.outer = parameters.integer("batch"), .channels = classes, .inner = 1};
}

Evidence logits_evidence(const std::vector<double>& logits, const std::vector<std::int64_t>& elements,
                         std::uint64_t seed) {
  Evidence shown;
  for (const std::int64_t e : elements) shown.elements.push_back(logits.at(static_cast<std::size_t>(e)));
  const OutputShape shape{.outer = std::ssize(logits) / classes, .channels = classes, .inner = 1};
  shown.projections = project(Dtype::f64, logits.data(), shape, seed);
  return shown;
}

namespace {

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double x : values) squares += x * x;
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(values.size(), 1)));
}

/// How much more losses may differ than logits, because of the updates; 1 if nothing is trained.
double update_factor(const Parameters& parameters, bool narrow) {
  if (parameters.find("optimizer") == nullptr) return 1;
  const Optimizer chosen = Optimizer::of(parameters);
  const double rate = std::max(1.0, chosen.learning_rate / Optimizer::own_learning_rate(chosen.kind));
  // Adam moves a weight by the whole rate, however small its gradient is. Where rounding decides whether a
  // unit with ReLU is active for an image, and for no other, all of its weights move or none does.
  constexpr double of_adam = 8;
  return chosen.kind == Optimizer::Kind::adam && !narrow ? of_adam * rate : rate;
}

}  // namespace

Tolerance NetworkWorkload::tolerance(const Parameters& parameters, const Evidence& truth) const {
  const DtypeFacts& type = facts(parameters.dtype());
  const bool narrow = type.unit_roundoff > type.accumulator.roundoff;
  const double rounded_operands = narrow ? 0.6 * type.unit_roundoff : 0.0;
  double variance = 0;
  for (const Layer& layer : make_network(parameters).layers) {
    if (flop_forward(layer) == 0) continue;
    const double sums =
        type.accumulator.roundoff * (1 + std::sqrt(static_cast<double>(layer.sum_length())) / 2);
    variance += rounded_operands * rounded_operands + sums * sums;
  }
  const double relative = 8 * (std::sqrt(variance) + type.output.roundoff);
  return {.element_scale = root_mean_square(truth.elements),
          .terms_per_projection = terms_per_projection(output(parameters)),
          .relative = relative,
          .relative_loss = relative * update_factor(parameters, narrow)};
}

}  // namespace breakeven
