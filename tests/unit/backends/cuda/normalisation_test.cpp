// Compares the CUDA backend's layer normalisation of one token, computed on the CPU, with its definition in
// float64.
#include "backends/cuda/kernels/normalisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "workloads/network.h"
#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

using Values = std::vector<float>;

Values random_values(std::size_t count, std::uint64_t stream, float scale, float offset) {
  const RandomStream numbers(1, stream);
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = scale * numbers.uniform(i) + offset;
  return values;
}

std::vector<double> defined(const std::vector<double>& x, const Values& gamma, const Values& beta) {
  const auto count = static_cast<double>(x.size());
  double mean = 0;
  for (const double value : x) mean += value / count;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / count;
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = static_cast<double>(gamma[i]) * (x[i] - mean) / std::sqrt(variance + layer_norm_epsilon) +
           static_cast<double>(beta[i]);
  return y;
}

struct Token {
  Values x = random_values(128, 1, 2, 30);  // a mean much larger than the deviation
  Values gamma = random_values(128, 2, 1, 1);
  Values beta = random_values(128, 3, 1, 0);
};

TEST(CudaNormalisation, IsAsDefinedAndItsGradientTheDerivative) {
  const Token token;
  const Values dy = random_values(token.x.size(), 4, 1, 0);
  Values y(token.x.size());
  Values dx(token.x.size());
  const Moments moments = normalise_token(Alone{}, token.x.data(), std::ssize(token.x), token.gamma.data(),
                                          token.beta.data(), y.data());
  normalise_token_gradient(Alone{}, token.x.data(), std::ssize(token.x), token.gamma.data(), moments,
                           dy.data(), dx.data());
  const auto exact = defined({token.x.begin(), token.x.end()}, token.gamma, token.beta);
  constexpr double step = 1e-4;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    std::vector<double> more(token.x.begin(), token.x.end());
    std::vector<double> less = more;
    more[i] += step;
    less[i] -= step;
    const auto above = defined(more, token.gamma, token.beta);
    const auto below = defined(less, token.gamma, token.beta);
    double derivative = 0;
    for (std::size_t j = 0; j < above.size(); ++j)
      derivative += static_cast<double>(dy[j]) * (above[j] - below[j]) / (2 * step);
    EXPECT_NEAR(y[i], exact[i], 1e-5) << i;
    EXPECT_NEAR(dx[i], derivative, 1e-5) << i;
  }
}

}  // namespace
}  // namespace breakeven::cuda
