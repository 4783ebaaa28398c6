// Tests the results that workloads expect: the projections are those of the elements, which are computed in
// another way.
#include <gmock/gmock.h>

#include <numeric>

#include "workloads/evidence.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

struct Problem {
  const char* name;
  const char* op;
  Parameters parameters;
};

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.name;
}

class ExpectedResult : public testing::TestWithParam<Problem> {};

TEST_P(ExpectedResult, HasTheProjectionsOfItsElements) {
  Parameters parameters = GetParam().parameters;
  parameters.set("dtype", std::string("f32"));
  const Case problem = make_case(*find_workload(GetParam().op), parameters);
  const OutputShape shape = problem.workload->output(problem.parameters);
  std::vector<std::int64_t> all(static_cast<std::size_t>(shape.elements()));
  std::iota(all.begin(), all.end(), 0);
  const Evidence expected = problem.workload->expect(problem.parameters, 5, all);
  const auto projections = project(Dtype::f64, expected.elements.data(), shape, 5);
  EXPECT_THAT(expected.projections, testing::Pointwise(testing::DoubleNear(1e-8), projections));
  EXPECT_THAT(expected.projections, testing::Contains(testing::Not(testing::DoubleNear(0, 1e-3))));
}

/// Sums so long that several threads compute them, on a machine that has several cores.
Problem product(const char* name, std::int64_t batch, bool transpose_a, bool transpose_b) {
  return {name,
          "matmul",
          {{"m", 3},
           {"n", 5},
           {"k", 400'000 / batch},
           {"batch", batch},
           {"transpose_a", transpose_a},
           {"transpose_b", transpose_b}}};
}

INSTANTIATE_TEST_SUITE_P(Products, ExpectedResult,
                         testing::Values(product("plain", 1, false, false), product("a", 1, true, false),
                                         product("b", 1, false, true), product("both", 1, true, true),
                                         product("batch_2", 2, false, true),
                                         product("batch_3", 3, true, false)),
                         [](const auto& test) { return test.param.name; });

/// Inputs so large that several threads read them.
Problem convolution(const char* name, const char* pass, std::int64_t n, std::int64_t c, std::int64_t size,
                    std::int64_t k, std::int64_t filter, std::int64_t stride, std::int64_t groups) {
  return {name,
          "conv2d",
          {{"n", n},
           {"c", c},
           {"h", size},
           {"w", size},
           {"k", k},
           {"r", filter},
           {"s", filter},
           {"stride", stride},
           {"pad", filter / 2},
           {"groups", groups},
           {"pass", pass}}};
}

INSTANTIATE_TEST_SUITE_P(
    Convolutions, ExpectedResult,
    testing::Values(convolution("forward", "forward", 3, 32, 160, 8, 3, 40, 1),
                    convolution("forward_groups", "forward", 3, 32, 160, 8, 3, 40, 4),
                    convolution("forward_depthwise", "forward", 3, 32, 160, 32, 3, 40, 32),
                    convolution("data", "backward_data", 3, 1, 108, 64, 1, 1, 1),
                    convolution("data_groups", "backward_data", 2, 8, 12, 4, 3, 2, 4),
                    convolution("weights", "backward_weights", 3, 8, 300, 4, 3, 3, 1),
                    convolution("weights_groups", "backward_weights", 3, 8, 300, 4, 3, 3, 4),
                    convolution("weights_of_large_images", "backward_weights", 3, 2, 1400, 2, 1, 1, 1)),
    [](const auto& test) { return test.param.name; });

std::vector<std::byte> stored(Dtype dtype, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 61) - 30;
  std::vector<std::byte> bytes(values.size() * output_bytes(dtype));
  facts(dtype).output.store(values.data(), count, bytes.data(), 0);
  return bytes;
}

TEST(Projections, AreTheSameOfAResultThatIsReadInParts) {
  for (const Dtype dtype : all_dtypes()) {
    for (const std::int64_t inner : {1, 3, 255, 256, 257}) {
      for (const std::int64_t channels : {1, 2, 300}) {
        const OutputShape shape{.outer = 3, .channels = channels, .inner = inner};
        const auto results = stored(dtype, shape.elements());
        const auto read = [&](std::int64_t first, std::int64_t) {
          return results.data() + static_cast<std::size_t>(first) * output_bytes(dtype);
        };
        EXPECT_EQ(project(dtype, results.data(), shape, 3), project(dtype, shape, 3, read)) << name(dtype);
      }
    }
  }
}

TEST(Projections, OfOneElementAreItsValueWithItsSigns) {
  const OutputShape shape{.outer = 4, .channels = 600, .inner = 900};  // for several threads
  std::vector<float> results(static_cast<std::size_t>(shape.elements()), 0.0F);
  const std::int64_t outer = 2;
  const std::int64_t channel = 599;
  const std::int64_t inner = 31;
  results[static_cast<std::size_t>((outer * shape.channels + channel) * shape.inner + inner)] = 7;
  const auto projections = project(Dtype::f32, results.data(), shape, 3);
  const std::int64_t position = outer * shape.inner + inner;
  const double signs = position_sign(3, position) * channel_signs(3, shape.channels)[599];
  std::vector<double> expected(static_cast<std::size_t>(most_projections), 0.0);
  expected[static_cast<std::size_t>(position % most_projections)] = 7 * signs;
  EXPECT_EQ(projections, expected);
}

}  // namespace
}  // namespace breakeven
