#include "backends/cblas/network/elementwise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "worker/vectorised.h"

namespace breakeven::cblas {
namespace {

/// exp for x <= 0 in f32 without branches, so that loops around it are vectorised: 2^n with a polynomial of
/// degree 6 for the rest (Cephes, S. L. Moshier, expf.c). Below -87 the result is about 1e-38.
[[gnu::always_inline]] inline float exponential(float x) {
  x = x < -87.0F ? -87.0F : x;
  constexpr float to_integer = 12582912.0F;  // 1.5 x 2^23: adding it leaves no room for a fraction
  const float n = (x * std::numbers::log2e_v<float> + to_integer) - to_integer;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(p) + (static_cast<std::int32_t>(n) << 23));
}

struct Bell {
  float below;    // probability of a normal variable below x
  float density;  // at x
};

/// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: erf to 1.5e-7.
[[gnu::always_inline]] inline Bell normal(float x) {
  const float z = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffU) *
                  (std::numbers::sqrt2_v<float> / 2);
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  const float e = exponential(-z * z);
  float p = 1.061405429F;
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const float beyond = 0.5F * p * t * e;  // probability beyond |x|
  constexpr float peak = std::numbers::inv_sqrtpi_v<float> * std::numbers::sqrt2_v<float> / 2;
  return {.below = x < 0 ? beyond : 1.0F - beyond, .density = peak * e};
}

}  // namespace

BREAKEVEN_VECTORISED void add_bias(float* y, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                                   const float* bias, bool relu) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float* row = y + i * stride;
    if (relu) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const float x = row[j] + bias[j];
        row[j] = x > 0 ? x : 0;
      }
    } else {
      for (std::int64_t j = 0; j < columns; ++j) row[j] += bias[j];
    }
  }
}

BREAKEVEN_VECTORISED void keep_where_positive(const float* x, float* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = x[i] > 0 ? gradient[i] : 0;
}

BREAKEVEN_VECTORISED void add_to(const float* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

BREAKEVEN_VECTORISED void add_rows(const float* matrix, std::int64_t stride, std::int64_t rows,
                                   std::int64_t columns, float* sums) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = matrix + i * stride;
    for (std::int64_t j = 0; j < columns; ++j) sums[j] += row[j];
  }
}

BREAKEVEN_VECTORISED void gelu(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * normal(x[i]).below;
}

BREAKEVEN_VECTORISED void gelu_backward(const float* x, float* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Bell bell = normal(x[i]);
    gradient[i] *= bell.below + x[i] * bell.density;
  }
}

BREAKEVEN_VECTORISED void softmax(float* rows, std::int64_t count, std::int64_t columns, float scale) {
  for (std::int64_t i = 0; i < count; ++i) {
    float* row = rows + i * columns;
    const float largest = scale * *std::max_element(row, row + columns);
    for (std::int64_t j = 0; j < columns; ++j) row[j] = exponential(scale * row[j] - largest);
    float sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += row[j];
    const float inverse = 1.0F / sum;
    for (std::int64_t j = 0; j < columns; ++j) row[j] *= inverse;
  }
}

BREAKEVEN_VECTORISED void update_sgd(float* w, float* v, const float* g, std::int64_t count, float rate,
                                     float momentum) {
  for (std::int64_t i = 0; i < count; ++i) {
    v[i] = momentum * v[i] + g[i];
    w[i] -= rate * v[i];
  }
}

BREAKEVEN_VECTORISED void update_adam(float* w, float* m, float* v, const float* g, std::int64_t count,
                                      const AdamStep& step) {
  const AdamStep s = step;
  for (std::int64_t i = 0; i < count; ++i) {
    m[i] = s.beta1 * m[i] + s.rest1 * g[i];
    v[i] = s.beta2 * v[i] + s.rest2 * g[i] * g[i];
    w[i] -= s.rate * m[i] / (std::sqrt(v[i]) * s.root_correction + s.epsilon);
  }
}

}  // namespace breakeven::cblas
