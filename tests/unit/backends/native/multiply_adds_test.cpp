#include "backends/native/multiply_adds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "host/cpu.h"
#include "workloads/random.h"

namespace breakeven::native {
namespace {

class MultiplyAddsOf : public testing::TestWithParam<Dtype> {};

/// Every unit of this CPU, also those that are never the fastest here.
TEST_P(MultiplyAddsOf, AddUpWhatTheDefinitionDoes) {
  const Dtype dtype = GetParam();
  const auto length = static_cast<std::int64_t>(64 / facts(dtype).bytes());
  const RandomStream a(5, stream::first_operand);
  const RandomStream b(5, stream::second_operand);
  Vectors vectors{};
  fill_inputs(dtype, vectors.a.data(), length, a);
  fill_inputs(dtype, vectors.b.data(), length, b);
  double dot = 0;
  double size = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const double product = input_value(dtype, a, i) * input_value(dtype, b, i);
    dot += product;
    size += std::abs(product);
  }
  const auto units = multiply_adds(dtype);
  if (units.empty()) {
    const auto features = cpu_features();
    const bool has_avx2 = std::find(features.begin(), features.end(), "avx2") != features.end();
    ASSERT_TRUE(!has_avx2 || dtype == Dtype::bf16) << "AVX2 has units for all others";
    GTEST_SKIP() << "this CPU has no unit for " << name(dtype);
  }
  for (const MultiplyAdds& unit : units) {
    for (const auto& [turns, steps] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 7}, {2, 1024}}) {
      const auto all = static_cast<double>(unit.dots * turns * steps);
      EXPECT_NEAR(unit.sum(vectors, turns, steps), all * dot,
                  all * size * facts(dtype).accumulator.roundoff * static_cast<double>(steps + 100))
          << unit.name << ", " << turns << " turns of " << steps << " steps";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MultiplyAddsOf,
                         testing::Values(Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::s8),
                         [](const auto& tested) { return std::string(name(tested.param)); });

}  // namespace
}  // namespace breakeven::native
