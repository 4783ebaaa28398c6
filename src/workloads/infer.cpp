// Inference with a small network: one batch of images in, its logits out.
#include <algorithm>

#include "workloads/networks.h"

namespace breakeven {
namespace {

class InferWorkload final : public NetworkWorkload {
 public:
  std::string_view op() const override { return "infer"; }
  std::string_view meaning() const override { return "the logits of one batch by a small network"; }
  std::string_view plural() const override { return "inference batches"; }
  std::string activity(const Parameters& parameters) const override {
    return "Inference by " + network_display_name(parameters.text("network"));
  }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all = network_parameters();
    return all;
  }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    for (const std::string& network : network_names())
      all.push_back({{"network", network}, {"batch", std::int64_t{3}}});
    return all;
  }

  double flop(const Parameters& parameters) const override {
    return batch(parameters) * flop_forward(make_network(parameters));
  }

  Least least(const Parameters& parameters) const override {
    return {.flop = batch(parameters) * least_flop_forward(make_network(parameters)),
            .bytes = bytes(parameters)};
  }

  /// Counts parameters and images as read and logits as written. Intermediate results may stay in the caches.
  double bytes(const Parameters& parameters) const override {
    const Dtype dtype = parameters.dtype();
    return parameter_bytes(make_network(parameters), dtype) + batch(parameters) * image_bytes(dtype);
  }

  /// Counts only the largest of the layers' outputs, because not all of them must be kept.
  double memory(const Parameters& parameters) const override {
    std::int64_t largest = 0;
    for (const Layer& layer : make_network(parameters).layers)
      largest = std::max(largest, layer.output_elements());
    return bytes(parameters) + batch(parameters) * static_cast<double>(largest) *
                                   static_cast<double>(facts(parameters.dtype()).bytes());
  }

  bool measures_latency() const override { return true; }
};

const WorkloadRegistration<InferWorkload> infer_registered;

}  // namespace
}  // namespace breakeven
