#include "statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace breakeven {
namespace {

/// 1, 2, ..., n: each value is its own rank.
std::vector<double> ranks(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Summary, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Summary, QuantilesAreDefinitionSevenOfHyndmanAndFan) {
  // R: quantile(c(1, 2, 4, 8, 16), c(0, .25, .5, .9, 1), type = 7)
  const std::vector<double> values{16, 1, 8, 2, 4};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 12.8);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 16);
}

TEST(Summary, IntervalHasThePublishedRanks) {
  // Two-sided 95 % intervals of the median: Conover's binomial table (p = 1/2), as published for the sign
  // test.
  struct Row {
    int n, low, high;
  };
  for (const auto& [n, low, high] :
       {Row{6, 1, 6}, Row{7, 1, 7}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{11, 2, 10}, Row{12, 3, 10},
        Row{15, 4, 12}, Row{20, 6, 15}, Row{25, 8, 18}, Row{30, 10, 21}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    const auto interval = median_interval(ranks(n));
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ(interval->low, low) << n;
    EXPECT_EQ(interval->high, high) << n;
  }
}

/// Checks the definition: k is the largest number for which n coins show at most k heads in at most 2.5 % of
/// throws.
TEST(Summary, IntervalHasItsRanksForAnyNumberOfValues) {
  for (int n = 6; n <= 300; ++n) {
    double chance = std::exp2(-n);  // of no head
    double at_most = chance;
    int k = 0;
    while (at_most + chance * (n - k) / (k + 1) <= 0.025) {
      chance *= static_cast<double>(n - k) / (k + 1);
      at_most += chance;
      ++k;
    }
    EXPECT_EQ(median_interval(ranks(n)), (Interval{.low = k + 1.0, .high = static_cast<double>(n - k)})) << n;
  }
}

TEST(Summary, FewerThanSixValuesHaveNoInterval) {
  for (int n = 0; n < 6; ++n) EXPECT_FALSE(median_interval(ranks(n))) << n;
  EXPECT_FALSE(median_interval(std::vector<std::vector<double>>{{1, 2}, {3, 4, 5}}));
  EXPECT_FALSE(median_interval(std::vector<std::vector<double>>{}));
}

TEST(Summary, IntervalCoversTheMedianOfASkewedDistribution) {
  // Timings are skewed to the right; the median of exp(N(0, 1)) is 1.
  constexpr int runs = 4000;
  std::mt19937_64 generator(7);
  std::lognormal_distribution<double> skewed(0, 1);
  for (const std::size_t n : {std::size_t{10}, std::size_t{25}, std::size_t{100}}) {
    int covered = 0;
    for (int run = 0; run < runs; ++run) {
      std::vector<double> values(n);
      for (double& value : values) value = skewed(generator);
      const auto interval = median_interval(values);
      covered += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
    }
    EXPECT_GE(covered, runs * 94 / 100) << n;
    EXPECT_LE(covered, runs * 99 / 100) << n;
  }
}

std::vector<std::vector<double>> launches(double spread_between) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::vector<double>> all(5);
  for (std::size_t l = 0; l < all.size(); ++l) {
    for (int s = 0; s < 20; ++s) {
      all[l].push_back(1 + spread_between * (static_cast<double>(l) - 2) + noise(generator));
    }
  }
  return all;
}

TEST(Summary, LaunchesThatDifferWidenTheInterval) {
  const auto same = median_interval(launches(0));
  const auto different = median_interval(launches(0.05));
  ASSERT_TRUE(same && different);
  EXPECT_GT(relative_half_width(*different, 1), 4 * relative_half_width(*same, 1));
  std::vector<double> pooled;
  for (const auto& launch : launches(0.05)) pooled.insert(pooled.end(), launch.begin(), launch.end());
  const auto naive = median_interval(pooled);
  EXPECT_GT(different->high - different->low, naive->high - naive->low);
  EXPECT_LE(different->low, 1);
  EXPECT_GE(different->high, 1);
}

/// If launches do not differ, the interval is about as wide as that of all samples together, whose median has
/// a standard error of 1.2533 deviations over the square root of their number.
TEST(Summary, LaunchesThatDoNotDifferWidenItLittle) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::vector<double>> all(10, std::vector<double>(40));
  for (auto& launch : all) {
    for (double& sample : launch) sample = 1 + noise(generator);
  }
  const auto interval = median_interval(all);
  ASSERT_TRUE(interval);
  EXPECT_NEAR((interval->high - interval->low) / 2, 1.96 * 1.2533 * 0.01 / std::sqrt(400), 0.0005);
  EXPECT_NEAR((interval->high + interval->low) / 2, 1, 0.002);
}

TEST(Summary, ALaunchWithoutSamplesCountsForNothing) {
  const auto interval = median_interval(std::vector<std::vector<double>>{{}, ranks(10)});
  ASSERT_TRUE(interval);
  EXPECT_GE(interval->low, 1);
  EXPECT_LE(interval->high, 10);
}

TEST(Summary, IntervalOfLaunchesIsDeterministicAndOfOneLaunchTheRanks) {
  EXPECT_EQ(median_interval(launches(0.05)), median_interval(launches(0.05)));
  EXPECT_EQ(median_interval(std::vector<std::vector<double>>{ranks(10)}), median_interval(ranks(10)));
}

TEST(Summary, HalfWidthIsRelativeToTheMedian) {
  EXPECT_DOUBLE_EQ(relative_half_width({.low = 1.5, .high = 2.5}, 2), 0.25);
}

/// How many of 200 intervals from this many visits contain the median of all visits that there could be,
/// where visits vary by 1 % and samples within one by 0.5 %.
int intervals_with_the_truth(int visits, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> between(0, 0.01), within(0, 0.005);
  int contained = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(visits));
    for (auto& visit : all) {
      const double own = between(generator);
      for (int i = 0; i < 20; ++i) visit.push_back(std::exp(own + within(generator)));
    }
    const Interval interval = *median_interval(all);
    if (interval.low <= 1 && 1 <= interval.high) ++contained;
  }
  return contained;
}

TEST(Summary, IntervalOfFewVisitsSaysLittleOfOtherRuns) {
  EXPECT_NEAR(intervals_with_the_truth(2, 1), 106, 16);  // 53 %
  EXPECT_NEAR(intervals_with_the_truth(3, 1), 150, 16);  // 75 %
  EXPECT_NEAR(intervals_with_the_truth(5, 1), 180, 14);  // 90 %
}

}  // namespace
}  // namespace breakeven
