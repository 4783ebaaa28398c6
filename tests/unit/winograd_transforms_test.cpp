#include "backends/cblas/winograd_transforms.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace breakeven::cblas {
namespace {

/// One tile, with a filter of its own for each channel, no sum over channels.
class WinogradTile : public testing::TestWithParam<std::int64_t> {
 protected:
  static constexpr std::int64_t channels = 2 * winograd_lanes;

  std::vector<float> random(std::int64_t count) {
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> made(count);
    for (float& value : made) value = values(generator_);
    return made;
  }

  /// Result (y, x) of channel c, by the definition.
  double direct(std::int64_t y, std::int64_t x, std::int64_t c) const {
    double sum = 0;
    for (std::int64_t r = 0; r < 3; ++r) {
      for (std::int64_t s = 0; s < 3; ++s) {
        const std::int64_t pixel = (y * winograd_.stride + r) * winograd_.side + x * winograd_.stride + s;
        sum += static_cast<double>(source_[pixel * channels + c]) * filters_[c * 9 + r * 3 + s];
      }
    }
    return sum;
  }

  /// The products of the transformed tile and filters, plane behind plane.
  std::vector<float> products() const {
    std::vector<const float*> pixels;
    for (std::int64_t i = 0; i < winograd_.side * winograd_.side; ++i)
      pixels.push_back(source_.data() + i * channels);
    std::vector<float> tile(winograd_.products * channels);
    std::vector<float> filters(tile.size());
    winograd_.source(pixels.data(), channels, tile.data(), channels);
    for (std::int64_t c = 0; c < channels; ++c)
      winograd_.filter(filters_.data() + c * 9, filters.data() + c, channels);
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] *= filters[i];
    return tile;
  }

  std::mt19937 generator_{1};
  const Winograd& winograd_ = *winograd_for(GetParam());
  std::vector<float> source_ = random(winograd_.side * winograd_.side * channels);
  std::vector<float> filters_ = random(channels * 9);
};

TEST_P(WinogradTile, IsTheConvolution) {
  std::vector<float> result(4 * channels);
  const std::vector<float*> pixels{result.data(), result.data() + channels, result.data() + 2 * channels,
                                   result.data() + 3 * channels};
  winograd_.result(products().data(), channels, channels, pixels.data());
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(result[i * channels + c], direct(i / 2, i % 2, c), 1e-5);
  }
}

TEST_P(WinogradTile, WritesNothingBeyondTheResult) {
  std::vector<float> result(channels);
  const std::vector<float*> pixels{result.data(), nullptr, nullptr, nullptr};
  winograd_.result(products().data(), channels, channels, pixels.data());
  for (std::int64_t c = 0; c < channels; ++c) EXPECT_NEAR(result[c], direct(0, 0, c), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Strides, WinogradTile, testing::Values(1, 2));

TEST(Winograd, KnowsNoOtherStride) {
  EXPECT_EQ(winograd_for(3), nullptr);
}

}  // namespace
}  // namespace breakeven::cblas
