#include "backends/cuda/network/layers.h"

#include <fmt/format.h>

#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

/// Throws Unsupported for forms of layers that no current network has.
void check_form(const LayerSite& site) {
  const Layer& layer = site.layer;
  const bool dense = layer.kind == LayerKind::dense;
  if (layer.activation != Activation::none && !dense && layer.kind != LayerKind::conv2d)
    throw Unsupported(fmt::format("no activation behind layer '{}' here", layer.name));
  if (site.added != nullptr && (!dense || layer.activation != Activation::none))
    throw Unsupported(fmt::format("no sum behind layer '{}' here", layer.name));
  if (site.input_added_to != nullptr && !dense)
    throw Unsupported(fmt::format("no sum beside layer '{}' here", layer.name));
  if (site.is_last && (!dense || layer.activation != Activation::none))
    throw Unsupported(
        fmt::format("the last layer, '{}', must be dense and without activation here", layer.name));
}

}  // namespace

std::unique_ptr<LayerWork> make_layer(const LayerSite& site) {
  check_form(site);
  return Layers::make(site.layer.kind, site);
}

RowSums::RowSums(const SummedRows& of, cudaStream_t stream)
    : of_(of),
      partial_(ColumnSums::partial_floats(of) * static_cast<std::int64_t>(sizeof(float))),
      finished_(ColumnSums::counters(of) * static_cast<std::int64_t>(sizeof(unsigned))) {
  finished_.clear(stream);
}

ColumnSums RowSums::get() {
  return {.of = of_, .partial = partial_.as<float>(), .finished = finished_.as<unsigned>()};
}

}  // namespace breakeven::cuda
