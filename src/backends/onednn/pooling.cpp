#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/layers.h"

namespace breakeven::onednn {
namespace {

class MaxPool final : public LayerWork {
 public:
  explicit MaxPool(const LayerSite& site)
      : device_(site.device), output_(*site.output), relu_before_(site.relu_before_pool) {
    const Layer& layer = *site.layer;
    const Desc source = site.input->value.desc();
    const Desc any({site.batch(), layer.k, layer.p, layer.q}, dnnl::memory::data_type::f32,
                   dnnl::memory::format_tag::any);
    const auto forward = max_pool_forward(device_.engine, site.propagation(), source, any, layer.filter);
    implementation_ = layer.name + " " + forward.impl_info_str();
    site.allocate_output(forward.dst_desc());
    std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, site.input->value.memory()},
                                                    {DNNL_ARG_DST, output_.value.memory()}};
    if (site.training()) {
      chosen_ = Tensor(device_, forward.workspace_desc());
      arguments.emplace(DNNL_ARG_WORKSPACE, chosen_.memory());
      const auto backward =
          max_pool_backward(device_.engine, source, forward.dst_desc(), layer.filter, forward);
      backward_ = Step(dnnl::pooling_backward(backward), {{DNNL_ARG_DIFF_SRC, site.input->gradient.memory()},
                                                          {DNNL_ARG_DIFF_DST, output_.gradient.memory()},
                                                          {DNNL_ARG_WORKSPACE, chosen_.memory()}});
    }
    forward_ = Step(dnnl::pooling_forward(forward), arguments);
  }

  void forward() override {
    forward_.run(device_);
    device_.stream.wait();
  }
  void backward() override {
    if (relu_before_) mask_relu(output_);
    backward_.run(device_);
    device_.stream.wait();
  }
  std::string algorithm() const override { return implementation_; }

 private:
  Device device_;
  Activations& output_;
  bool relu_before_;
  std::string implementation_;
  Tensor chosen_;  // which of the four was the largest
  Step forward_, backward_;
};

}  // namespace

std::unique_ptr<LayerWork> make_max_pool(const LayerSite& site) {
  return std::make_unique<MaxPool>(site);
}

}  // namespace breakeven::onednn
