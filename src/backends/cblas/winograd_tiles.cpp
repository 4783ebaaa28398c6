#include "backends/cblas/winograd_tiles.h"

#include <algorithm>
#include <array>

#include "backends/cblas/gemm.h"

namespace breakeven::cblas {
namespace {

/// The plane of the filter rotated by 180 degrees that equals plane `i` of the filter itself. In each
/// direction, the rotation exchanges the outer two of F(2, 3)'s four products and leaves the inner ones.
std::int64_t turned_plane(std::int64_t i) {
  constexpr std::array<std::int64_t, 4> exchanged{3, 1, 2, 0};
  return exchanged[i / 4] * 4 + exchanged[i % 4];
}

}  // namespace

WinogradTiles::WinogradTiles(const Winograd& winograd, const Size& size, std::int64_t channels)
    : winograd_(winograd), size_(size), down_((size.p + 1) / 2), across_((size.q + 1) / 2), zeros_(channels) {
  std::fill(zeros_.data(), zeros_.data() + channels, 0.0F);
}

WinogradTiles::Place WinogradTiles::place_of(std::int64_t tile) const {
  const std::int64_t row = tile / across_;
  return {.image = row / down_, .y = row % down_ * 2, .x = tile % across_ * 2};
}

void WinogradTiles::convolve(TileBlock block, ImageChannels<const float> images, const float* filters,
                             bool turned, ImageChannels<float> results, float* workspace) const {
  float* const seen = workspace;
  float* const products = seen + winograd_.products * block.room * images.count;
  source(block, images, seen);
  for (std::int64_t i = 0; i < winograd_.products; ++i) {
    const std::int64_t plane = turned ? turned_plane(i) : i;
    gemm(block.count, results.count, images.count,
         Matrix<float>{seen + i * block.room * images.count, images.count},
         Matrix<float>{filters + plane * images.count * results.count, results.count}, 0.0F,
         products + i * block.room * results.count, results.count);
  }
  result(block, products, results);
}

void WinogradTiles::source(TileBlock block, ImageChannels<const float> images, float* planes) const {
  for (std::int64_t t = 0; t < block.count; ++t) {
    const Place place = place_of(block.first + t);
    std::array<const float*, 25> pixels{};
    auto pixel = pixels.begin();
    for (std::int64_t dy = 0; dy < winograd_.side; ++dy) {
      const std::int64_t y = place.y * winograd_.stride - size_.pad_h + dy;
      for (std::int64_t dx = 0; dx < winograd_.side; ++dx) {
        const std::int64_t x = place.x * winograd_.stride - size_.pad_w + dx;
        const bool inside = y >= 0 && y < size_.h && x >= 0 && x < size_.w;
        *pixel++ =
            inside ? images.data + ((place.image * size_.h + y) * size_.w + x) * images.of : zeros_.data();
      }
    }
    winograd_.source(pixels.data(), images.count, planes + t * images.count, block.room * images.count);
  }
}

template <typename T>
std::array<T*, 4> WinogradTiles::result_pixels(std::int64_t tile, ImageChannels<T> results,
                                               T* outside) const {
  const Place place = place_of(tile);
  std::array<T*, 4> pixels{};
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t y = place.y + i / 2;
    const std::int64_t x = place.x + i % 2;
    const bool inside = y < size_.p && x < size_.q;
    pixels[i] = inside ? results.data + ((place.image * size_.p + y) * size_.q + x) * results.of : outside;
  }
  return pixels;
}

void WinogradTiles::result(TileBlock block, const float* planes, ImageChannels<float> results) const {
  for (std::int64_t t = 0; t < block.count; ++t) {
    const auto pixels = result_pixels<float>(block.first + t, results, nullptr);
    winograd_.result(planes + t * results.count, block.room * results.count, results.count, pixels.data());
  }
}

void WinogradTiles::result_gradient(TileBlock block, ImageChannels<const float> gradients,
                                    float* planes) const {
  for (std::int64_t t = 0; t < block.count; ++t) {
    const auto pixels = result_pixels<const float>(block.first + t, gradients, zeros_.data());
    winograd_.result_gradient(pixels.data(), gradients.count, planes + t * gradients.count,
                              block.room * gradients.count);
  }
}

void transform_filters(const Winograd& winograd, const float* filters, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* planes) {
  for (std::int64_t k = first; k < last; ++k) {
    std::array<const float*, 9> taps{};
    for (std::int64_t i = 0; i < 9; ++i) taps[i] = filters + (k * 9 + i) * channels;
    winograd.filter(taps.data(), channels, planes + k * channels, all * channels);
  }
}

void transpose_filters(const Winograd& winograd, const float* planes, std::int64_t first, std::int64_t last,
                       std::int64_t all, std::int64_t channels, float* transposed) {
  for (std::int64_t i = 0; i < winograd.products; ++i) {
    const std::int64_t plane = i * all * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t k = first; k < last; ++k)
        transposed[plane + c * all + k] = planes[plane + k * channels + c];
    }
  }
}

}  // namespace breakeven::cblas
