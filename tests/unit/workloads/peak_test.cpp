#include "workloads/peak.h"

#include <gmock/gmock.h>

#include <numeric>

#include "emulated_cuda/fp22.h"
#include "workloads/random.h"

namespace breakeven {
namespace {

Case peak_case(const char* dtype, std::int64_t dots = Peak::granule, std::int64_t steps = 16) {
  return make_case(*find_workload("peak"), {{"dots", dots}, {"steps", steps}, {"dtype", dtype}});
}

TEST(PeakWorkload, CountsTwoOperationsAnElement) {
  EXPECT_EQ(peak_case("f32").flop(), 2.0 * 3072 * 16 * 16);
  EXPECT_EQ(peak_case("f64").flop(), 2.0 * 3072 * 16 * 8);
  EXPECT_EQ(peak_case("bf16").flop(), 2.0 * 3072 * 16 * 32);
  EXPECT_EQ(peak_case("s8").flop(), 2.0 * 3072 * 16 * 64);
}

TEST(PeakWorkload, TakesWholeGranules) {
  EXPECT_THROW(peak_case("f32", 3073), InvalidCase);
  EXPECT_NO_THROW(peak_case("f32", 6144));
}

class PeakTruth : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t seed = 3;
  /// The result that a device computes, in f32 sums of `steps` addends for each element, or exactly.
  double computed(std::int64_t dots, std::int64_t steps) const {
    const Peak p(problem_.parameters);
    const RandomStream a(seed, stream::first_operand);
    const RandomStream b(seed, stream::second_operand);
    double sum = 0;
    for (std::int64_t i = 0; i < p.length(); ++i) {
      const double product = input_value(p.dtype, a, i) * input_value(p.dtype, b, i);
      float element = 0;
      double exact = 0;
      for (std::int64_t step = 0; step < steps; ++step) {
        element = static_cast<float>(static_cast<double>(element) + product);
        exact += product;
      }
      const bool in_f32 = facts(p.dtype).accumulator.roundoff == 0x1p-24;
      sum += static_cast<double>(dots) * (in_f32 ? static_cast<double>(element) : exact);
    }
    return sum;
  }
  Verification judged(double sum) const {
    const Evidence truth = problem_.workload->expect(problem_.parameters, seed, {0});
    const Evidence shown{.elements = {sum},
                         .projections = {channel_signs(seed, 1)[0] * position_sign(seed, 0) * sum},
                         .losses = {}};
    return judge(truth, shown, problem_.workload->tolerance(problem_.parameters, truth));
  }

  Case problem_ = peak_case(GetParam(), 6144, 1024);
};

TEST_P(PeakTruth, IsTheDefinition) {
  const Verification verified = judged(computed(6144, 1024));
  EXPECT_TRUE(verified.correct) << verified.detail;
}

TEST_P(PeakTruth, WorkThatIsLeftOutIsSeen) {
  EXPECT_FALSE(judged(computed(6144 - 384, 1024)).correct);
  EXPECT_FALSE(judged(computed(6144, 960)).correct);
}

/// The sum that Hopper's tensor cores give for f8e4m3, whose accumulators take `accumulated` steps each.
double sum_in_fp22(std::uint64_t seed, std::int64_t steps, std::int64_t accumulated) {
  constexpr std::size_t depth = 32;  // of an instruction
  const RandomStream a(seed, stream::first_operand);
  const RandomStream b(seed, stream::second_operand);
  std::vector<double> products;
  for (std::int64_t i = 0; i < Peak::vector_bytes; ++i)
    products.push_back(input_value(Dtype::f8e4m3, a, i) * input_value(Dtype::f8e4m3, b, i));
  const std::span<const double> all(products);
  double sum = 0;
  for (std::int64_t begun = 0; begun < steps; begun += accumulated) {
    double accumulator = 0;
    for (std::int64_t step = 0; step < std::min(accumulated, steps - begun); ++step) {
      for (std::size_t i = 0; i < all.size(); i += depth)
        accumulator = emulated::add_fp22(accumulator, all.subspan(i, depth));
    }
    sum += accumulator;
  }
  return sum;
}

bool is_right_f8_peak(std::uint64_t seed, std::int64_t steps, double part, std::int64_t accumulated) {
  const Case problem = peak_case("f8e4m3", Peak::granule, steps);
  const Evidence truth = problem.workload->expect(problem.parameters, seed, {0});
  const double sum = part * static_cast<double>(Peak::granule) * sum_in_fp22(seed, steps, accumulated);
  const Evidence shown{.elements = {sum},
                       .projections = {channel_signs(seed, 1)[0] * position_sign(seed, 0) * sum},
                       .losses = {}};
  return judge(truth, shown, problem.workload->tolerance(problem.parameters, truth)).correct;
}

/// The accumulators of tensor cores are emptied before what they cut off adds up.
TEST(PeakOfF8, AccumulatorsOfThirteenBitsAreRightWhereTheyAreEmptied) {
  int wrong = 0, left_out_seen = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::int64_t steps : {1, 7, 512, 4096}) {
      const Peak p(peak_case("f8e4m3", Peak::granule, steps).parameters);
      EXPECT_TRUE(is_right_f8_peak(seed, steps, 1, p.accumulated_steps())) << seed << ", " << steps;
    }
    wrong += is_right_f8_peak(seed, 4096, 1, 4096) ? 0 : 1;
    left_out_seen += is_right_f8_peak(seed, 512, 15.0 / 16, 8) ? 0 : 1;
  }
  EXPECT_GT(wrong, 95);
  // A sum whose products nearly cancel is too small to show what is missing.
  EXPECT_GT(left_out_seen, 95);
}

INSTANTIATE_TEST_SUITE_P(Types, PeakTruth, testing::Values("f64", "f32", "f16", "bf16", "f8e4m3", "s8"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace breakeven
