// Tests which samples of a case its figures are computed from.
#include "results/counted_samples.h"

#include <gmock/gmock.h>

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Visits = std::vector<std::vector<double>>;

std::vector<double> steady(std::size_t count, double value) {
  return std::vector<double>(count, value);
}

Timing timing_of(std::size_t samples, std::vector<std::int64_t> throttled,
                 std::vector<double> own_speed = {}) {
  Timing timing;
  timing.samples = steady(samples, 1);
  timing.throttled = std::move(throttled);
  timing.own_speed = std::move(own_speed);
  return timing;
}

TEST(CountedSamples, AreThoseThatAreNotSetAsideIfTheyAreEnough) {
  const Visits visits{steady(6, 1), steady(6, 2)};
  EXPECT_EQ(counted_samples(visits, {}), visits);
  EXPECT_EQ(counted_samples(visits, {1, 6}), (Visits{steady(5, 1), steady(5, 2)}));
  EXPECT_EQ(counted_samples(visits, {1, 2, 6}), visits) << "nine are too few";
  EXPECT_EQ(without({0, 3}, {{1, 2}, {3, 4}}), (Visits{{2}, {3}}));
}

TEST(CountedIndices, AreOfTheSameSamples) {
  EXPECT_THAT(counted_indices(timing_of(12, {1, 6})), ElementsAre(0, 2, 3, 4, 5, 7, 8, 9, 10, 11));
  EXPECT_EQ(counted_indices(timing_of(12, {1, 2, 6})).size(), 12U);
  EXPECT_EQ(counted_indices(timing_of(3, {0, 1, 2})).size(), 3U);
}

TEST(CountedIndices, LeaveOutWhatASlowMachineMeasured) {
  std::vector<double> own_speed = steady(12, 1);
  own_speed[2] = 0.94;
  own_speed[3] = trusted_speed_share;
  EXPECT_THAT(slow_samples(own_speed), ElementsAre(2));
  EXPECT_THAT(counted_indices(timing_of(12, {5}, own_speed)), ElementsAre(0, 1, 3, 4, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(counted_indices(timing_of(12, {}, steady(12, 0.5))).size(), 12U) << "there is nothing better";
}

TEST(OwnSpeedOfACase, IsTheMedianOfTheSamplesThatCount) {
  CaseResult c;
  c.device = "cpu";
  EXPECT_EQ(own_speed_of(c), std::nullopt) << "no time";
  c.seconds = timing_of(10, {});
  EXPECT_EQ(own_speed_of(c), std::nullopt) << "not known";
  c.seconds->own_speed = {0.1, 0.1, 0.1, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.9};
  EXPECT_EQ(own_speed_of(c), 0.4);
  c.seconds = timing_of(13, {}, steady(13, 0.97));
  for (const std::size_t slow : {0U, 1U, 2U}) c.seconds->own_speed[slow] = 0.2;
  EXPECT_EQ(own_speed_of(c), 0.97) << "slow samples do not count beside ten others";
  c.device = "gpu";
  EXPECT_EQ(own_speed_of(c), std::nullopt);
}

TEST(SetAside, EachSampleOnceInOrder) {
  EXPECT_THAT(set_aside({1, 3}, {1, 0.5, 0.5, 1}), ElementsAre(1, 2, 3));
  EXPECT_THAT(set_aside({}, {}), IsEmpty());
}

/// A file may claim more throttled samples than it has.
TEST(EnoughWithout, MoreSetAsideThanThereAre) {
  EXPECT_FALSE(enough_without(20, 12));
}

}  // namespace
}  // namespace breakeven
