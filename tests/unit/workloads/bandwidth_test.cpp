#include "workloads/bandwidth.h"

#include <gmock/gmock.h>

#include "workloads/random.h"

namespace breakeven {
namespace {

Case of(const char* op, std::int64_t bytes, const char* dtype) {
  return make_case(*find_workload(op), {{"bytes", bytes}, {"dtype", dtype}});
}

TEST(Bandwidth, CountsEachArrayOnce) {
  const Case triad = of("triad", 1 << 20, "f32");
  EXPECT_EQ(triad.workload->bytes(triad.parameters), 3 << 20);
  EXPECT_EQ(triad.workload->flop(triad.parameters), 2 << 18);
  const Case read = of("read", 1 << 20, "f64");
  EXPECT_EQ(read.workload->bytes(read.parameters), 1 << 20);
  EXPECT_EQ(read.workload->flop(read.parameters), 1 << 17);
}

TEST(Bandwidth, IsNamedByItsSize) {
  for (const auto& [bytes, title] : {std::pair{std::int64_t{64}, "64 bytes f32"},
                                     {65536, "64 KiB f32"},
                                     {3 << 19, "1536 KiB f32"},
                                     {std::int64_t{1} << 32, "4 GiB f32"}}) {
    const Case read = of("read", bytes, "f32");
    EXPECT_EQ(read.workload->title(read.parameters), title);
  }
}

TEST(Bandwidth, IsOfWholeCacheLines) {
  EXPECT_THROW(of("read", 100, "f32"), InvalidCase);
}

// Large enough for several threads, and no multiple of their blocks.
TEST(Bandwidth, TheTruthOfLargeArraysIsThatOfOneThread) {
  constexpr std::uint64_t seed = 3;
  const std::int64_t bytes = (std::int64_t{5} << 20U) * 4 + 64;
  const Case read = of("read", bytes, "f32");
  const RandomStream numbers(seed, stream::first_operand);
  const std::int64_t count = Bandwidth(read.parameters).elements();
  double sum = 0;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(numbers.uniform(static_cast<std::uint64_t>(i)));
    sum += values.back();
  }
  EXPECT_EQ(read.workload->expect(read.parameters, seed, {0}).elements, std::vector{sum});
  const Case copy =
      make_case(*find_workload("copy"),
                {{"direction", std::string("within")}, {"bytes", bytes}, {"dtype", std::string("f32")}});
  const OutputShape shape = copy.workload->output(copy.parameters);
  const std::vector<std::int64_t> elements{0, 12345, count - 1};
  const Evidence truth = copy.workload->expect(copy.parameters, seed, elements);
  const Evidence shown = evidence_of(Dtype::f32, values.data(), shape, seed, elements);
  EXPECT_EQ(truth.elements, shown.elements);
  EXPECT_EQ(truth.projections, shown.projections);
}

class BandwidthTruth : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t seed = 7;
  /// The result by the definition.
  std::vector<float> compute() const {
    const RandomStream first(seed, stream::first_operand);
    const RandomStream second(seed, stream::second_operand);
    std::vector<float> result;
    float sum = 0;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(Bandwidth(problem_.parameters).elements());
         ++i) {
      sum += first.uniform(i);
      result.push_back(first.uniform(i) + 3 * second.uniform(i));
    }
    return problem_.workload->op() == "read" ? std::vector{sum} : result;
  }
  Verification judged(const std::vector<float>& result) const {
    const OutputShape shape = problem_.workload->output(problem_.parameters);
    const auto elements = elements_to_check(shape.elements(), seed);
    const Evidence truth = problem_.workload->expect(problem_.parameters, seed, elements);
    return judge(truth, evidence_of(Dtype::f32, result.data(), shape, seed, elements),
                 problem_.workload->tolerance(problem_.parameters, truth));
  }

  Case problem_ = of(GetParam(), 100'032, "f32");
};

TEST_P(BandwidthTruth, IsTheDefinition) {
  const Verification verified = judged(compute());
  EXPECT_TRUE(verified.correct) << verified.detail;
}

TEST_P(BandwidthTruth, OneWrongElementIsSeen) {
  auto result = compute();
  result.back() += 0.5F;
  EXPECT_FALSE(judged(result).correct);
}

INSTANTIATE_TEST_SUITE_P(Operations, BandwidthTruth, testing::Values("read", "triad"));

}  // namespace
}  // namespace breakeven
