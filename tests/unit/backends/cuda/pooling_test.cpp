// Tests the CUDA backend's max-pooling on the CPU, element by element as its threads compute it.
#include "backends/cuda/kernels/pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

constexpr std::int64_t pooled_images = 3;
constexpr float unwritten = -77;

struct Pooled {
  std::vector<float> input, output, output_gradient, input_gradient;
};

std::size_t at(const PoolShape& shape, std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t c) {
  return static_cast<std::size_t>(((image * shape.height + y) * shape.width + x) * shape.channels + c);
}

template <int count>
Pooled run(const PoolShape& shape, bool of_relu) {
  const auto inputs = static_cast<std::size_t>(pooled_images * shape.height * shape.width * shape.channels);
  const auto outputs = static_cast<std::size_t>(pooled_images * shape.output_elements());
  Pooled pooled{std::vector<float>(inputs), std::vector<float>(outputs, unwritten),
                std::vector<float>(outputs), std::vector<float>(inputs, unwritten)};
  const RandomStream numbers(1, 8);
  // Few different values, so that some are equal. Negative ones become 0 after ReLU.
  for (std::size_t i = 0; i < inputs; ++i) {
    pooled.input[i] = std::round(4 * numbers.uniform(i));
    if (of_relu) pooled.input[i] = std::max(pooled.input[i], 0.0F);
  }
  for (std::size_t i = 0; i < outputs; ++i) pooled.output_gradient[i] = 1.0F + static_cast<float>(i);
  const Squares<count> whole(shape, true);
  for (std::int64_t item = 0; item < std::ssize(pooled.output) / count; ++item)
    pool(whole, pooled.input.data(), pooled.output.data(), item);
  const Squares<count> all(shape, false);
  for (std::int64_t item = 0; item < pooled_images * shape.gradient_items() / count; ++item) {
    pool_gradient(all, pooled.input.data(), pooled.output_gradient.data(), pooled.input_gradient.data(),
                  of_relu, item);
  }
  return pooled;
}

/// Computes `count` channels at once.
template <int count = 1>
void expect_right(const PoolShape& shape, bool of_relu) {
  const Pooled pooled = run<count>(shape, of_relu);
  std::vector<float> gradient(pooled.input.size(), 0.0F);
  std::size_t output = 0;
  for (std::int64_t image = 0; image < pooled_images; ++image) {
    for (std::int64_t p = 0; p < shape.height / 2; ++p) {
      for (std::int64_t q = 0; q < shape.width / 2; ++q) {
        for (std::int64_t c = 0; c < shape.channels; ++c, ++output) {
          std::size_t best = at(shape, image, 2 * p, 2 * q, c);
          for (const std::size_t other :
               {at(shape, image, 2 * p, 2 * q + 1, c), at(shape, image, 2 * p + 1, 2 * q, c),
                at(shape, image, 2 * p + 1, 2 * q + 1, c)}) {
            if (pooled.input[other] > pooled.input[best]) best = other;
          }
          EXPECT_EQ(pooled.output[output], pooled.input[best]);
          if (!of_relu || pooled.input[best] > 0) gradient[best] = pooled.output_gradient[output];
        }
      }
    }
  }
  EXPECT_EQ(output, pooled.output.size());
  EXPECT_EQ(pooled.input_gradient, gradient);
}

TEST(CudaPooling, TakesTheFirstOfTheLargestAndAppliesReluBefore) {
  expect_right({.channels = 6, .height = 8, .width = 4}, false);
  expect_right({.channels = 3, .height = 6, .width = 6}, true);
}

TEST(CudaPooling, LeavesOutAnOddRowOrColumnAndMixesNoChannels) {
  expect_right({.channels = 2, .height = 5, .width = 4}, false);
  expect_right({.channels = 2, .height = 4, .width = 7}, true);
  expect_right({.channels = 1, .height = 5, .width = 5}, false);
  expect_right<4>({.channels = 4, .height = 6, .width = 4}, true);
  expect_right<4>({.channels = 12, .height = 5, .width = 7}, false);
  expect_right<2>({.channels = 6, .height = 5, .width = 5}, true);
}

}  // namespace
}  // namespace breakeven::cuda
