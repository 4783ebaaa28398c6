#include "network/channels_last.h"

#include <cstddef>
#include <optional>

#include "workloads/layout.h"

namespace breakeven {
namespace {

/// `count` matrices of channels x pixels.
struct ImageMatrices {
  std::int64_t count, channels, pixels;
};

/// The shape of tensor `index` if it has the weights of a layer that reads images; else empty.
std::optional<ImageMatrices> images_read_by(const Network& network, std::size_t index) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.weights != index) continue;
    if (layer.kind == LayerKind::conv2d) return ImageMatrices{layer.k, layer.c, layer.filter * layer.filter};
    if (layer.kind == LayerKind::dense && i > 0 && network.layers[i - 1].spatial()) {
      const Layer& before = network.layers[i - 1];
      return ImageMatrices{layer.out, before.k, before.p * before.q};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<float> channels_last_values(const Network& network, std::size_t index, std::uint64_t seed) {
  std::vector<float> values = initial_values(network, index, seed);
  const auto images = images_read_by(network, index);
  if (!images) return values;
  std::vector<float> turned(values.size());
  transpose_matrices(reinterpret_cast<const std::byte*>(values.data()), images->count, images->channels,
                     images->pixels, sizeof(float), reinterpret_cast<std::byte*>(turned.data()));
  return turned;
}

}  // namespace breakeven
