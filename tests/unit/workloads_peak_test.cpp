#include <gmock/gmock.h>

#include "workloads/peak.h"
#include "workloads/random.h"

namespace breakeven {
namespace {

Case peak_case(const char* dtype, std::int64_t dots = Peak::granule, std::int64_t steps = 16) {
  return make_case(*find_workload("peak"), {{"dots", dots}, {"steps", steps}, {"dtype", std::string(dtype)}});
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
  /// As a device would, in f32 sums of `steps` addends for each element, or exactly.
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
      const bool in_f32 = facts(p.dtype).accumulator_roundoff == 0x1p-24;
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

INSTANTIATE_TEST_SUITE_P(Types, PeakTruth, testing::Values("f64", "f32", "f16", "bf16", "f8e4m3", "s8"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace breakeven
