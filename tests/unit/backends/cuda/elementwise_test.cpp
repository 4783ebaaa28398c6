// Tests the CUDA backend's elementwise functions, on the CPU.
#include "backends/cuda/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "workloads/dataset.h"

namespace breakeven::cuda {
namespace {

double exact_gelu(double x) {
  return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}

TEST(CudaElementwise, PixelsAreThoseOfTheDataSet) {
  for (int p = 0; p < 256; ++p) {
    const auto byte = static_cast<std::uint8_t>(p);
    EXPECT_EQ(pixel_from_byte(byte), pixel_value(byte)) << p;
  }
}

TEST(CudaElementwise, GeluIsTheExactOne) {
  for (double x = -6; x <= 6; x += 0.01) {
    const auto rounded = static_cast<float>(x);
    EXPECT_NEAR(gelu(rounded), exact_gelu(rounded), 3e-7 * (1 + std::abs(x))) << x;
  }
  // The tanh approximation differs by this much.
  const double x = 2;
  const double by_tanh =
      x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  EXPECT_GT(std::abs(by_tanh - exact_gelu(x)), 1e-5);
}

TEST(CudaElementwise, GeluSlopeIsItsDerivative) {
  constexpr double step = 1e-5;
  for (double x = -6; x <= 6; x += 0.01) {
    const auto rounded = static_cast<float>(x);
    const double slope = (exact_gelu(rounded + step) - exact_gelu(rounded - step)) / (2 * step);
    EXPECT_NEAR(gelu_slope(rounded), slope, 1e-6) << x;
  }
}

TEST(CudaElementwise, ReluHasNoSlopeAtZero) {
  EXPECT_EQ(relu(-1.5F), 0.0F);
  EXPECT_EQ(relu(1.5F), 1.5F);
  EXPECT_EQ(relu_slope(relu(-1.5F)), 0.0F);
  EXPECT_EQ(relu_slope(relu(0.0F)), 0.0F);
  EXPECT_EQ(relu_slope(relu(1.5F)), 1.0F);
}

}  // namespace
}  // namespace breakeven::cuda
