// Elementwise functions.
#pragma once

#include <cmath>
#include <cstdint>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

/// Returns the same as pixel_value (workloads/dataset.h), which cannot be included, because CMake 3.25
/// supports only C++17 with nvcc. The quotient is exactly rounded, by one correction of a product: a division
/// takes four times as long.
BREAKEVEN_HOST_DEVICE inline float pixel_from_byte(std::uint8_t p) {
  constexpr float reciprocal = 1.0F / 255.0F;
  const auto numerator = static_cast<float>(2 * static_cast<int>(p) - 255);
  const float quotient = numerator * reciprocal;
  return fmaf(fmaf(-quotient, 255.0F, numerator), reciprocal, quotient);
}

constexpr float sqrt_half = 0.70710678118654752F;

/// The exact GELU, x/2 (1 + erf(x / sqrt 2)). cuBLASLt's epilogue has the tanh approximation.
BREAKEVEN_HOST_DEVICE inline float gelu(float x) {
  return 0.5F * x * (1.0F + erff(x * sqrt_half));
}

BREAKEVEN_HOST_DEVICE inline float gelu_slope(float x) {
  constexpr float inverse_sqrt_two_pi = 0.39894228040143268F;
  return 0.5F * (1.0F + erff(x * sqrt_half)) + x * inverse_sqrt_two_pi * expf(-0.5F * x * x);
}

BREAKEVEN_HOST_DEVICE inline float relu(float x) {
  return x > 0.0F ? x : 0.0F;
}

/// ReLU gradient, from its output.
BREAKEVEN_HOST_DEVICE inline float relu_slope(float y) {
  return y > 0.0F ? 1.0F : 0.0F;
}

}  // namespace breakeven::cuda
