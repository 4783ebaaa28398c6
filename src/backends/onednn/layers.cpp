#include "backends/onednn/layers.h"

#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/loops.h"

namespace breakeven::onednn {

void LayerSite::allocate_output(const Desc& layout) const {
  output->value = Tensor(device, layout);
  // Loops over flat memory also read the padding of blocked layouts, so it must be zero from the start.
  output->value.fill_zero();
  if (!training()) return;
  output->gradient = Tensor(device, layout);
  output->gradient.fill_zero();
}

void LayerSite::allocate_output(std::int64_t rows, std::int64_t columns) const {
  allocate_output(Desc({rows, columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab));
}

Relaid::Relaid(const Device& device, const dnnl::memory& kept, const Desc& wanted, bool back) : kept_(kept) {
  if (wanted == kept.get_desc()) return;
  own_ = Tensor(device, wanted);
  const dnnl::memory& from = back ? own_.memory() : kept_;
  const dnnl::memory& to = back ? kept_ : own_.memory();
  convert_ = Step(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

void mask_relu(Activations& output) {
  with_element_type(data_type(output.value.desc()), [&]<typename T>(T) {
    auto* const gradient = output.gradient.as<T>();
    const T* const value = output.value.as<T>();
    parallel_ranges(output.value.bytes() / static_cast<std::int64_t>(sizeof(T)),
                    [=](std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last; ++i)
                        gradient[i] = value[i] > 0 ? gradient[i] : T();
                    });
  });
}

Gelu::Gelu(const Device& device, const dnnl::memory& before, Activations& output) {
  constexpr auto gelu = dnnl::algorithm::eltwise_gelu_erf;
  const Desc layout = before.get_desc();
  forward_ = Step(dnnl::eltwise_forward(activation_forward(device.engine, gelu, layout)),
                  {{DNNL_ARG_SRC, before}, {DNNL_ARG_DST, output.value.memory()}});
  backward_ = Step(dnnl::eltwise_backward(activation_backward(device.engine, gelu, layout)),
                   {{DNNL_ARG_SRC, before},
                    {DNNL_ARG_DIFF_DST, output.gradient.memory()},
                    {DNNL_ARG_DIFF_SRC, output.gradient.memory()}});
}

}  // namespace breakeven::onednn
