#include "network/row_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "worker/vectorised.h"

namespace breakeven {
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

/// The sum of term(i) for i in [0, count): eight sums side by side, added at the end, because a single one
/// would have to wait for itself at every element.
template <typename Term>
[[gnu::always_inline]] inline float sum_of(std::int64_t count, const Term& term) {
  constexpr std::int64_t lanes = 8;
  std::array<float, lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[static_cast<std::size_t>(lane)] += term(i + lane);
  }
  float rest = 0;
  for (; i < count; ++i) rest += term(i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
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

BREAKEVEN_VECTORISED void mean_of_rows(const float* matrix, std::int64_t rows, std::int64_t columns,
                                       float* mean) {
  std::fill(mean, mean + columns, 0.0F);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) mean[j] += matrix[i * columns + j];
  }
  for (std::int64_t j = 0; j < columns; ++j) mean[j] /= static_cast<float>(rows);
}

BREAKEVEN_VECTORISED void mean_of_rows_backward(const float* gradient, std::int64_t rows,
                                                std::int64_t columns, float* matrix_gradient) {
  const float share = 1.0F / static_cast<float>(rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) matrix_gradient[i * columns + j] = share * gradient[j];
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

BREAKEVEN_VECTORISED void softmax_backward(const float* results, float* gradient, std::int64_t count,
                                           std::int64_t columns, float scale) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* p = results + i * columns;
    float* dp = gradient + i * columns;
    float sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += p[j] * dp[j];
    for (std::int64_t j = 0; j < columns; ++j) dp[j] = scale * p[j] * (dp[j] - sum);
  }
}

BREAKEVEN_VECTORISED void normalise(const float* input, std::int64_t rows, std::int64_t features,
                                    const float* gamma, const float* beta, float* means, float* inverses,
                                    float* output) {
  const auto n = static_cast<float>(features);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = input + row * features;
    float* y = output + row * features;
    const float mean = sum_of(features, [x](std::int64_t f) { return x[f]; }) / n;
    const float squares =
        sum_of(features, [x, mean](std::int64_t f) { return (x[f] - mean) * (x[f] - mean); });
    const float inverse = 1.0F / std::sqrt(squares / n + static_cast<float>(layer_norm_epsilon));
    for (std::int64_t f = 0; f < features; ++f) y[f] = gamma[f] * ((x[f] - mean) * inverse) + beta[f];
    means[row] = mean;
    inverses[row] = inverse;
  }
}

// With n = (x - mean) inverse and g = gamma dy: dx = inverse (g - mean of g - n times the mean of g n).
BREAKEVEN_VECTORISED void normalise_backward(const float* input, std::int64_t rows, std::int64_t features,
                                             const float* gamma, const float* means, const float* inverses,
                                             const float* gradient, float* __restrict input_gradient) {
  const auto n = static_cast<float>(features);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = input + row * features;
    const float* dy = gradient + row * features;
    const float mean = means[row];
    const float inverse = inverses[row];
    const float mean_g = sum_of(features, [=](std::int64_t f) { return gamma[f] * dy[f]; }) / n;
    const float mean_gn =
        sum_of(features, [=](std::int64_t f) { return gamma[f] * dy[f] * ((x[f] - mean) * inverse); }) / n;
    float* dx = input_gradient + row * features;
    for (std::int64_t f = 0; f < features; ++f)
      dx[f] = inverse * (gamma[f] * dy[f] - mean_g - (x[f] - mean) * inverse * mean_gn);
  }
}

BREAKEVEN_VECTORISED void add_normalise_gradients(const float* input, std::int64_t stride, std::int64_t rows,
                                                  std::int64_t features, const float* means,
                                                  const float* inverses, const float* gradient,
                                                  float* __restrict gamma_gradient,
                                                  float* __restrict beta_gradient) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = input + row * stride;
    const float* dy = gradient + row * stride;
    const float mean = means[row];
    const float inverse = inverses[row];
    for (std::int64_t f = 0; f < features; ++f) {
      gamma_gradient[f] += dy[f] * ((x[f] - mean) * inverse);
      beta_gradient[f] += dy[f];
    }
  }
}

double cross_entropy(const float* logits, std::span<const std::uint8_t> labels,
                     std::span<const std::uint32_t> rows, float scale, float* gradient) {
  const float share = scale / static_cast<float>(rows.size());
  double total = 0;
  for (const std::uint32_t row : rows) {
    const std::size_t label = labels[row];
    const float largest = *std::max_element(logits, logits + classes);
    float sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += gradient[c] = std::exp(logits[c] - largest);
    total += static_cast<double>(std::log(sum) + largest - logits[label]);
    for (std::int64_t c = 0; c < classes; ++c) gradient[c] *= share / sum;
    gradient[label] -= share;
    logits += classes;
    gradient += classes;
  }
  return total / static_cast<double>(rows.size());
}

namespace {

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

}  // namespace

OptimizerStep::OptimizerStep(const Optimizer& o, std::int64_t number)
    : optimizer_(o),
      adam_{
          .beta1 = static_cast<float>(o.beta1),
          .beta2 = static_cast<float>(o.beta2),
          .rest1 = static_cast<float>(1 - o.beta1),
          .rest2 = static_cast<float>(1 - o.beta2),
          .epsilon = static_cast<float>(o.epsilon),
          .rate = static_cast<float>(o.learning_rate / (1 - std::pow(o.beta1, static_cast<double>(number)))),
          .root_correction =
              static_cast<float>(1 / std::sqrt(1 - std::pow(o.beta2, static_cast<double>(number))))} {}

void OptimizerStep::update(float* parameters, float* first, float* second, const float* gradient,
                           std::int64_t count) const {
  if (optimizer_.kind == Optimizer::Kind::sgd) {
    update_sgd(parameters, first, gradient, count, static_cast<float>(optimizer_.learning_rate),
               static_cast<float>(optimizer_.momentum));
  } else {
    update_adam(parameters, first, second, gradient, count, adam_);
  }
}

}  // namespace breakeven
