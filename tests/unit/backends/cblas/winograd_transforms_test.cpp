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

  const float* run(const std::vector<float>& runs, std::int64_t i) const {
    return runs.data() + i * channels;
  }
  template <typename Runs>
  static auto pointers(Runs& runs) {
    std::vector<decltype(runs.data())> all;
    for (std::int64_t i = 0; i < std::ssize(runs) / channels; ++i) all.push_back(runs.data() + i * channels);
    return all;
  }

  /// The source element that tap (r, s) reads for result (y, x) of channel c.
  double seen(std::int64_t y, std::int64_t x, std::int64_t r, std::int64_t s, std::int64_t c) const {
    return run(source_, (y * winograd_.stride + r) * winograd_.side + x * winograd_.stride + s)[c];
  }
  /// Result (y, x) of channel c, by the definition.
  double direct(std::int64_t y, std::int64_t x, std::int64_t c) const {
    double sum = 0;
    for (std::int64_t i = 0; i < 9; ++i) sum += seen(y, x, i / 3, i % 3, c) * run(filters_, i)[c];
    return sum;
  }

  std::vector<float> transformed(void (*transform)(const float* const*, std::int64_t, float*, std::int64_t),
                                 const std::vector<float>& runs) const {
    std::vector<float> planes(winograd_.products * channels);
    transform(pointers(runs).data(), channels, planes.data(), channels);
    return planes;
  }
  static std::vector<float> products(std::vector<float> a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
    return a;
  }
  /// The products of the transformed tile and filters, with planes stored contiguously.
  std::vector<float> products() const {
    return products(transformed(winograd_.source, source_), transformed(winograd_.filter, filters_));
  }

  std::mt19937 generator_{1};
  const Winograd& winograd_ = *winograd_for(GetParam());
  std::vector<float> source_ = random(winograd_.side * winograd_.side * channels);
  std::vector<float> filters_ = random(9 * channels);
};

TEST_P(WinogradTile, IsTheConvolution) {
  std::vector<float> result(4 * channels);
  winograd_.result(products().data(), channels, channels, pointers(result).data());
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

TEST_P(WinogradTile, AddsTheGradientOfTheFilters) {
  const std::vector<float> gradients = random(4 * channels);
  const auto planes =
      products(transformed(winograd_.source, source_), transformed(winograd_.result_gradient, gradients));
  std::vector<float> sums(9 * channels, 0.5F);
  winograd_.filter_gradient(planes.data(), channels, channels, pointers(sums).data());
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      double direct = 0.5;
      for (std::int64_t i = 0; i < 4; ++i)
        direct += run(gradients, i)[c] * seen(i / 2, i % 2, tap / 3, tap % 3, c);
      EXPECT_NEAR(run(sums, tap)[c], direct, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strides, WinogradTile, testing::Values(1, 2));

TEST(Winograd, KnowsNoOtherStride) {
  EXPECT_EQ(winograd_for(3), nullptr);
}

}  // namespace
}  // namespace breakeven::cblas
