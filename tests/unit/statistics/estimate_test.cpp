#include "statistics/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace breakeven {
namespace {

Estimate about(double value, double half_width) {
  return {.value = value, .interval = Interval{.low = value - half_width, .high = value + half_width}};
}

TEST(Estimate, SumsAddTheirHalfWidthsInQuadrature) {
  const Estimate sum = weighted_sum(std::array{about(10, 0.3), about(5, 0.2)}, std::array{1.0, 2.0});
  EXPECT_DOUBLE_EQ(sum.value, 20);
  ASSERT_TRUE(sum.interval);
  EXPECT_NEAR(sum.interval->low, 19.5, 1e-12) << "0.5 = sqrt(0.3^2 + (2 * 0.2)^2)";
  EXPECT_NEAR(sum.interval->high, 20.5, 1e-12);
  EXPECT_FALSE(weighted_sum(std::array{about(10, 0.3), Estimate{.value = 1}}, std::array{1.0, 1.0}).interval);
}

TEST(Estimate, SumsKeepWhatIsAboveApartFromWhatIsBelow) {
  const Estimate factor_of_two{.value = 4, .interval = Interval{.low = 2, .high = 8}};
  const Estimate sum = weighted_sum(std::array{factor_of_two, about(10, 1.5)}, std::array{1.0, 1.0});
  ASSERT_TRUE(sum.interval);
  EXPECT_NEAR(sum.interval->low, 14 - 2.5, 1e-12);
  EXPECT_NEAR(sum.interval->high, 14 + std::hypot(4, 1.5), 1e-12);
}

TEST(Estimate, BoundsThatGoTogetherAddUp) {
  const std::array within_a_factor{Estimate{.value = 4, .interval = Interval{.low = 2, .high = 8}},
                                   Estimate{.value = 1, .interval = Interval{.low = 0.5, .high = 2}}};
  const Estimate sum = weighted_sum_together(within_a_factor, std::array{1.0, 10.0});
  EXPECT_DOUBLE_EQ(sum.value, 14);
  ASSERT_TRUE(sum.interval);
  EXPECT_DOUBLE_EQ(sum.interval->low, 7) << "a sum of what is off by a factor is off by it, too";
  EXPECT_DOUBLE_EQ(sum.interval->high, 28);
  const Estimate mean = geometric_mean_together(within_a_factor);
  EXPECT_NEAR(mean.value, 2, 1e-12);
  ASSERT_TRUE(mean.interval);
  EXPECT_NEAR(mean.interval->high, 4, 1e-12);
  const std::array one_unknown{within_a_factor[0], Estimate{.value = 1}};
  EXPECT_FALSE(weighted_sum_together(one_unknown, std::array{1.0, 1.0}).interval);
  EXPECT_FALSE(geometric_mean_together(one_unknown).interval);
}

TEST(Estimate, GeometricMeansAreOfRatios) {
  const Estimate mean = geometric_mean(std::array{about(1, 0.01), about(100, 1)});
  EXPECT_NEAR(mean.value, 10, 1e-12);
  ASSERT_TRUE(mean.interval);
  EXPECT_NEAR(mean.interval->high / mean.value - 1, 0.01 / std::sqrt(2), 1e-4);
  EXPECT_FALSE(geometric_mean(std::array{about(1, 1)}).interval) << "it reaches 0";
}

TEST(Estimate, OneWithoutIntervalTakesItFromNoOther) {
  std::array mixed{about(10, 0.3), Estimate{.value = 1}};
  fill_intervals(mixed);
  EXPECT_DOUBLE_EQ(mixed[0].interval->high, 10.3) << "measured";
  ASSERT_TRUE(mixed[1].interval);
  EXPECT_DOUBLE_EQ(mixed[1].interval->low, 1 / 1.2);
  EXPECT_DOUBLE_EQ(mixed[1].interval->high, 1.2);
  std::array unknown{Estimate{.value = 10}, Estimate{.value = 1}};
  fill_intervals(unknown);
  EXPECT_FALSE(unknown[0].interval || unknown[1].interval) << "nothing was measured of either";
}

TEST(Estimate, ThatCannotBeToldApartIsNotRanked) {
  EXPECT_TRUE(may_be_equal(ratio(about(1, 0.02), about(1.02, 0.01))));
  EXPECT_FALSE(may_be_equal(ratio(about(1, 0.02), about(1.05, 0.01))));
  EXPECT_NEAR(ratio(about(2, 0.02), about(1, 0.01)).interval->high, 2 * std::exp(std::hypot(0.01, 0.01)),
              1e-4);
}

TEST(Estimate, WithoutAnIntervalOnlyAPlainRatioIsRanked) {
  for (const double close : {1.19, 1.0, 1 / 1.19}) EXPECT_TRUE(may_be_equal({.value = close})) << close;
  for (const double far : {1.21, 1 / 1.21}) EXPECT_FALSE(may_be_equal({.value = far})) << far;
}

TEST(Estimate, RatiosAndMultiplesCarryTheirIntervals) {
  const Estimate over = ratio(about(6, 0.6), about(3, 0.1));
  EXPECT_DOUBLE_EQ(over.value, 2);
  ASSERT_TRUE(over.interval);
  EXPECT_NEAR(over.interval->low, 2 * std::exp(-std::hypot(std::log(6 / 5.4), std::log(3.1 / 3))), 1e-12);
  EXPECT_NEAR(over.interval->high, 2 * std::exp(std::hypot(std::log(6.6 / 6), std::log(3 / 2.9))), 1e-12);
  EXPECT_FALSE(ratio(about(6, 0.6), {.value = 3}).interval);
  EXPECT_FALSE(ratio({.value = 6}, about(3, 0.1)).interval);
  EXPECT_FALSE(ratio(about(6, 6), about(3, 0.1)).interval) << "it reaches 0, which has no logarithm";

  const Estimate thrice = scaled(about(6, 0.5), 3);
  EXPECT_DOUBLE_EQ(thrice.value, 18);
  EXPECT_EQ(thrice.interval, (Interval{.low = 16.5, .high = 19.5}));
  EXPECT_FALSE(scaled({.value = 6}, 3).interval);

  EXPECT_DOUBLE_EQ(relative_half_width(about(4, 1)).value(), 0.25);
  EXPECT_FALSE(relative_half_width(Estimate{.value = 4}));
}

/// Samples of two speeds: the median is close to one end of its interval.
TEST(Estimate, SkewedIntervalsStaySkewed) {
  const Estimate skewed{.value = 10, .interval = Interval{.low = 9.99, .high = 12.5}};
  const Estimate exact{.value = 11.4, .interval = Interval{.low = 11.4, .high = 11.4}};
  const Estimate over = ratio(skewed, exact);
  ASSERT_TRUE(over.interval);
  EXPECT_NEAR(over.interval->low, 9.99 / 11.4, 1e-12);
  EXPECT_NEAR(over.interval->high, 12.5 / 11.4, 1e-12);
  EXPECT_TRUE(may_be_equal(over)) << "11.4 is in the interval";
  EXPECT_TRUE(may_be_equal(ratio(exact, skewed)));
  const Estimate below{.value = 9.5, .interval = Interval{.low = 9.5, .high = 9.5}};
  EXPECT_FALSE(may_be_equal(ratio(below, skewed))) << "9.5 is not";
  for (const Estimate& mean :
       {geometric_mean(std::array{skewed}), geometric_mean_together(std::array{skewed})}) {
    ASSERT_TRUE(mean.interval);
    EXPECT_NEAR(mean.interval->low, 9.99, 1e-12);
    EXPECT_NEAR(mean.interval->high, 12.5, 1e-12);
  }
}

TEST(Estimate, SumsDoNotReachBelow0) {
  const Estimate sum = weighted_sum(std::array{about(1, 3)}, std::array{1.0});
  EXPECT_EQ(sum.interval, (Interval{.low = 0, .high = 4}));
}

/// Intervals that just touch are not distinguished, from either side.
TEST(Estimate, IntervalsThatEndAt1ContainIt) {
  const Estimate wide{.value = 2, .interval = Interval{.low = 1, .high = 4}};
  const Estimate exact{.value = 1, .interval = Interval{.low = 1, .high = 1}};
  EXPECT_TRUE(may_be_equal(ratio(wide, exact)));
  EXPECT_TRUE(may_be_equal(ratio(exact, wide)));
  const Estimate beyond{.value = 2.01, .interval = Interval{.low = 1.01, .high = 4}};
  EXPECT_FALSE(may_be_equal(ratio(beyond, exact)));
  EXPECT_FALSE(may_be_equal(ratio(exact, beyond)));
}

/// The 95 % interval of a sum of eight noisy values contains the true value in 95 % of trials.
TEST(Estimate, IntervalsCarriedThroughCover) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> noise(0, 1);
  constexpr int trials = 4000;
  int sums = 0;
  int means = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::array<Estimate, 8> parts{};
    std::array<double, 8> weights{};
    double truth = 0;
    double logarithms = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto of = static_cast<double>(i + 1);
      const double error = 0.01 * of;
      weights[i] = of;
      parts[i] = about(of + error * noise(generator), 1.96 * error);
      truth += of * of;
      logarithms += std::log(of) / 8;
    }
    const auto holds = [](const Estimate& e, double t) {
      return e.interval->low <= t && t <= e.interval->high;
    };
    sums += holds(weighted_sum(parts, weights), truth) ? 1 : 0;
    means += holds(geometric_mean(parts), std::exp(logarithms)) ? 1 : 0;
  }
  EXPECT_NEAR(sums, 0.95 * trials, 0.012 * trials);
  EXPECT_NEAR(means, 0.95 * trials, 0.012 * trials);
}

TEST(Widened, AddsAFurtherErrorInQuadrature) {
  const Estimate wide = widened({.value = 2, .interval = Interval{.low = 1.9, .high = 2.2}}, 0.02);
  EXPECT_EQ(wide.value, 2);
  const double more = 1.959964 * 0.02;
  EXPECT_NEAR(wide.interval->low, 2 * std::exp(-std::hypot(std::log(2 / 1.9), more)), 1e-6);
  EXPECT_NEAR(wide.interval->high, 2 * std::exp(std::hypot(std::log(1.1), more)), 1e-6);
  EXPECT_FALSE(widened({.value = 2}, 0.02).interval);
}

TEST(Widened, KeepsTheValueToTheLastDigit) {
  for (const double value : {0.1, 1.0 / 3, 1e-6 / 7, 123456.789})
    EXPECT_EQ(widened(about(value, 0.01 * value), 0.01).value, value);
}

TEST(JointStatements, HoldTogether) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(0, 0.01);
  constexpr std::size_t statements = 10;
  constexpr int trials = 2000;
  int all_hold = 0;
  for (int trial = 0; trial < trials; ++trial) {
    bool holds = true;
    for (std::size_t i = 0; i < statements; ++i) {
      const Estimate one = widened(about(std::exp(noise(generator)), 1e-9), 0.01);
      const Interval interval = for_joint_statements(one, statements).interval.value();
      holds = holds && interval.low < 1 && 1 < interval.high;
    }
    all_hold += holds ? 1 : 0;
  }
  EXPECT_GT(all_hold, 0.93 * trials);
  EXPECT_LT(all_hold, 0.97 * trials);
  EXPECT_FALSE(for_joint_statements({.value = 2}, statements).interval);
  EXPECT_EQ(for_joint_statements(about(1, 0.1), 1).interval, about(1, 0.1).interval);
}

TEST(LeastOf, IsWithoutHalfOfWhatChanceTakesAndMovesNothingThatIsCertain) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(0, 0.01);
  double least_sum = 0;
  double corrected_sum = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Estimate> equal;
    for (int i = 0; i < 5; ++i) equal.push_back(widened(about(std::exp(noise(generator)), 1e-9), 0.01));
    least_sum += std::log(std::ranges::min_element(equal, {}, &Estimate::value)->value);
    corrected_sum += std::log(least_of(equal).value);
  }
  EXPECT_NEAR(least_sum / trials, -1.163 * 0.01, 0.001) << "the mean of the smallest of five normal values";
  EXPECT_GT(corrected_sum / trials, 0.5 * least_sum / trials - 0.0015);
  EXPECT_LT(corrected_sum / trials, 0);
  EXPECT_EQ(least_of(std::array{about(2, 0.1)}).value, 2);
  EXPECT_NEAR(least_of(std::array{about(2, 0.01), about(3, 0.01)}).value, 2, 1e-6);
  EXPECT_EQ(least_of(std::array{Estimate{.value = 2}, about(2.01, 0.1)}).value, 2);
  const Estimate certain{.value = 2, .interval = Interval{.low = 2, .high = 2}};
  EXPECT_EQ(least_of(std::array{certain, about(2.01, 0.1)}).value, 2);
}

TEST(RatioAmong, HoldsForAllPairsTogether) {
  const Estimate over = about(3, 0.1), under = about(2, 0.1);
  EXPECT_EQ(ratio_among(over, under, 2).interval, ratio(over, under).interval);
  EXPECT_EQ(ratio_among(over, under, 5).interval, for_joint_statements(ratio(over, under), 10).interval);
}

}  // namespace
}  // namespace breakeven
