// Tests ladders of optimisation: their steps, and each backend's rates on them.
#include "reports/document/ladders.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven::ladders_test {
namespace {

using testing::ElementsAre;

CaseResult step(const char* backend, const std::string& dtype, bool tuned, double seconds) {
  CaseResult c = sample::measured_case(
      "train",
      {{"network", std::string("mlp")}, {"batch", std::int64_t{64}}, {"tuned", tuned}, {"dtype", dtype}},
      seconds);
  c.backend = backend;
  c.samples = 64;
  c.seconds->median = seconds;
  return c;
}

TEST(Ladders, HaveTheRatesOfEachBackendByStep) {
  std::vector<Result> results{
      sample::result({step("onednn", "f32", false, 4e-3), step("onednn", "bf16", false, 2e-3),
                      step("blis", "bf16", true, 1e-3), step("blis", "f32", false, 8e-3)})};
  const std::vector<Timed> timed = timed_results(cases_of(runs_of(results)));
  const std::vector<Ladder> ladders = ladders_of(timed);
  ASSERT_EQ(ladders.size(), 1U);
  const Ladder& ladder = ladders.front();
  EXPECT_EQ(ladder.work, "Training the MLP");
  EXPECT_EQ(ladder.unit, "images per second");
  EXPECT_THAT(ladder.steps, ElementsAre("f32", "bf16", "bf16 + tuned"));
  ASSERT_EQ(ladder.backends.size(), 2U);
  const auto& [backend, rungs] = ladder.backends.at(1);
  EXPECT_EQ(backend, "BLIS");
  ASSERT_EQ(rungs.size(), 2U);
  EXPECT_EQ(rungs[0].step, 0U) << "by step, whatever the order of the results";
  EXPECT_NEAR(rungs[0].rate.value, 64 / 8e-3, 1e-6);
  EXPECT_EQ(rungs[1].step, 2U);

  results.front().cases.resize(2);
  EXPECT_TRUE(ladders_of(timed_results(cases_of(runs_of(results)))).empty()) << "two steps are none";
}

}  // namespace
}  // namespace breakeven::ladders_test
