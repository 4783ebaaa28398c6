// Compares the CUDA backend's attention of one head, computed on the CPU by one thread, with its definition
// in float64.
#include "backends/cuda/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

constexpr AttentionShape attention_shape{.tokens = 5, .heads = 3, .size = 4};
constexpr auto qkv_count =
    static_cast<std::size_t>(attention_shape.tokens * 3 * attention_shape.heads * attention_shape.size);
constexpr auto output_count = qkv_count / 3;

std::vector<float> random_values(std::size_t count, std::uint64_t stream) {
  const RandomStream numbers(1, stream);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 2 * numbers.uniform(i);
  return values;
}

/// The definition, see network.h: head h has the features [h size, (h + 1) size) of q, k and v, which are
/// side by side.
std::vector<double> defined(const std::vector<double>& qkv) {
  const int width = attention_shape.heads * attention_shape.size;
  const auto element = [&](int token, int part, int head, int feature) {
    return qkv[static_cast<std::size_t>((token * 3 + part) * width + head * attention_shape.size + feature)];
  };
  std::vector<double> output(output_count);
  for (int head = 0; head < attention_shape.heads; ++head) {
    for (int t = 0; t < attention_shape.tokens; ++t) {
      std::vector<double> weights;
      double sum = 0;
      for (int u = 0; u < attention_shape.tokens; ++u) {
        double score = 0;
        for (int f = 0; f < attention_shape.size; ++f)
          score += element(t, 0, head, f) * element(u, 1, head, f);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(attention_shape.size))));
        sum += weights.back();
      }
      for (int f = 0; f < attention_shape.size; ++f) {
        double& to = output[static_cast<std::size_t>(t * width + head * attention_shape.size + f)];
        for (int u = 0; u < attention_shape.tokens; ++u)
          to += weights[static_cast<std::size_t>(u)] / sum * element(u, 2, head, f);
      }
    }
  }
  return output;
}

std::vector<float> memory_of(std::int64_t bytes) {
  return std::vector<float>(static_cast<std::size_t>(bytes) / sizeof(float),
                            std::numeric_limits<float>::quiet_NaN());
}

TEST(CudaAttention, IsAsDefined) {
  const auto qkv = random_values(qkv_count, 1);
  std::vector<float> output(output_count, std::numeric_limits<float>::quiet_NaN());
  auto memory = memory_of(attention_shape.forward_bytes());
  for (int head = 0; head < attention_shape.heads; ++head)
    attend(Alone{}, attention_shape, head, qkv.data(), output.data(), memory.data());
  const auto exact = defined({qkv.begin(), qkv.end()});
  for (std::size_t i = 0; i < output_count; ++i) EXPECT_NEAR(output[i], exact[i], 1e-6) << i;
}

TEST(CudaAttention, GradientIsTheDerivative) {
  const auto qkv = random_values(qkv_count, 1);
  const auto dy = random_values(output_count, 2);
  std::vector<float> gradient(qkv_count, std::numeric_limits<float>::quiet_NaN());
  auto memory = memory_of(attention_shape.backward_bytes());
  for (int head = 0; head < attention_shape.heads; ++head)
    attend_gradient(Alone{}, attention_shape, head, qkv.data(), dy.data(), gradient.data(), memory.data());
  constexpr double step = 1e-4;
  for (std::size_t i = 0; i < qkv_count; ++i) {
    std::vector<double> more(qkv.begin(), qkv.end());
    std::vector<double> less = more;
    more[i] += step;
    less[i] -= step;
    const auto above = defined(more);
    const auto below = defined(less);
    double derivative = 0;
    for (std::size_t j = 0; j < output_count; ++j)
      derivative += static_cast<double>(dy[j]) * (above[j] - below[j]) / (2 * step);
    EXPECT_NEAR(gradient[i], derivative, 1e-5) << i;
  }
}

TEST(CudaAttention, LargeScoresDoNotOverflow) {
  auto qkv = random_values(qkv_count, 1);
  for (float& value : qkv) value *= 40;
  std::vector<float> output(output_count);
  auto memory = memory_of(attention_shape.forward_bytes());
  attend(Alone{}, attention_shape, 0, qkv.data(), output.data(), memory.data());
  for (int f = 0; f < attention_shape.size; ++f)
    EXPECT_TRUE(std::isfinite(output[static_cast<std::size_t>(f)]));
}

}  // namespace
}  // namespace breakeven::cuda
