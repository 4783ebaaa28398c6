// Compares the CUDA backend's loss of one image, computed on the CPU, with the reference network's.
#include "backends/cuda/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "backends/reference/reference_network.h"
#include "workloads/network.h"
#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

static_assert(logits_per_image == classes);

void expect_as_the_reference(const std::array<float, classes>& logits, std::uint8_t label, float scale) {
  std::array<float, classes> gradient{};
  const float loss = cross_entropy_of_image(logits.data(), label, scale, gradient.data());
  const std::vector<double> exact(logits.begin(), logits.end());
  std::vector<double> exact_gradient(classes);
  const double exact_loss =
      breakeven::cross_entropy<double>(exact, std::span(&label, 1), 1, exact_gradient.data());
  EXPECT_NEAR(loss, exact_loss, 1e-6 * (1 + exact_loss));
  for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(gradient[c], scale * exact_gradient[c], 2e-7 * scale);
}

TEST(CudaCrossEntropy, IsThatOfTheReference) {
  const RandomStream numbers(1, 7);
  for (std::uint64_t image = 0; image < 50; ++image) {
    std::array<float, classes> logits{};
    for (std::size_t c = 0; c < classes; ++c) logits[c] = 5 * numbers.uniform(image * classes + c);
    expect_as_the_reference(logits, static_cast<std::uint8_t>(image % classes), 1);
    expect_as_the_reference(logits, static_cast<std::uint8_t>(image % classes), 1024.0F / 50);
  }
}

TEST(CudaCrossEntropy, LargeLogitsDoNotOverflow) {
  std::array<float, classes> logits{};
  logits[3] = 500;
  logits[4] = -500;
  expect_as_the_reference(logits, 3, 1);
  expect_as_the_reference(logits, 4, 1);
}

}  // namespace
}  // namespace breakeven::cuda
