#include "verdicts/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace breakeven {
namespace {

using testing::DoubleNear;
using testing::IsEmpty;
using testing::SizeIs;

CaseResult training(std::int64_t batch, std::int64_t ranks, double seconds) {
  CaseResult made;
  made.op = "train";
  made.parameters = {{"network", std::string("mlp")}, {"batch", batch}, {"ranks", ranks}, {"overlap", true}};
  made.dtype = "f32";
  made.backend = "openblas";
  made.device = "cpu";
  made.status = Status::ok;
  made.samples = batch;
  made.seconds = Timing{};
  made.seconds->median = seconds;
  made.seconds->ci_low = 0.99 * seconds;
  made.seconds->ci_high = 1.01 * seconds;
  for (std::int64_t rank = 0; ranks > 1 && rank < ranks; ++rank)
    made.conditions.ranks.push_back({.host = "a", .threads = 1});
  return made;
}

TEST(Scaling, ADividedBatchIsStrongScaling) {
  const CaseResult one = training(128, 1, 3.0);
  CaseResult two = training(128, 2, 2.0);
  two.communication_seconds = 0.5;
  const auto found = scalings_of(std::vector<const CaseResult*>{&one, &two}, /*threads_of_one=*/1);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_FALSE(found[0].is_weak);
  EXPECT_DOUBLE_EQ(found[0].speedup.value, 1.5);
  EXPECT_DOUBLE_EQ(found[0].efficiency.value, 0.75);
  EXPECT_DOUBLE_EQ(found[0].communication.value(), 0.25);
  EXPECT_THAT(found[0].efficiency.interval.value().low,
              DoubleNear(0.75 * std::exp(-std::hypot(0.01, 0.01, 1.96 * std::sqrt(2) * 0.013)), 1e-4));
}

TEST(Scaling, ABatchThatGrowsIsWeakScaling) {
  const CaseResult one = training(64, 1, 2.0), two = training(128, 2, 2.5);
  const auto found = scalings_of(std::vector<const CaseResult*>{&one, &two}, 1);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].is_weak);
  EXPECT_DOUBLE_EQ(found[0].speedup.value, 1.6);
  EXPECT_DOUBLE_EQ(found[0].efficiency.value, 0.8);
}

TEST(Scaling, IdealIsWhatTheThreadsAllow) {
  // One rank had both threads that the two ranks have together.
  const CaseResult one = training(128, 1, 2.0), two = training(128, 2, 2.0);
  EXPECT_DOUBLE_EQ(scalings_of(std::vector<const CaseResult*>{&one, &two}, 2).at(0).efficiency.value, 1);
}

TEST(Scaling, OnlyTheSameWorkIsCompared) {
  const CaseResult two = training(128, 2, 2.0);
  CaseResult other = training(128, 1, 3.0);
  other.backend = "onednn";
  const CaseResult unlike = training(96, 1, 3.0);
  CaseResult wider = training(128, 1, 3.0);
  wider.parameters.set("network", std::string("cnn"));
  CaseResult untuned = training(128, 1, 3.0);
  untuned.parameters.set("deterministic", true);
  EXPECT_THAT(scalings_of(std::vector<const CaseResult*>{&two, &other, &unlike, &wider, &untuned}, 1),
              IsEmpty());
}

}  // namespace
}  // namespace breakeven
