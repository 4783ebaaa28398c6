#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "statistics/significance.h"

namespace breakeven {
namespace {

/// SciPy 1.15: ttest_ind(log(a), log(b), equal_var=False), with .confidence_interval(0.95).
TEST(Welch, GivesWhatSciPyDoes) {
  const std::vector<double> a{1.10, 1.20, 1.15, 1.30};
  const std::vector<double> b{1.0, 1.02, 0.99};
  const auto ratio = log_ratio(a, b);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->mean, 0.1666887220460062, 1e-12);
  EXPECT_NEAR(ratio->mean / ratio->standard_error, 4.550932872223607, 1e-10);
  EXPECT_NEAR(ratio->degrees_of_freedom, 3.3573526551083606, 1e-10);
  EXPECT_NEAR(p_value(*ratio), 0.015528162314989415, 1e-10);
  const Interval interval = ratio_interval(*ratio, 0.95);
  EXPECT_NEAR(interval.low, 1.0584844360597065, 1e-9);
  EXPECT_NEAR(interval.high, 1.3185588190245607, 1e-9);
}

/// The further values vary as the usual ones do.
TEST(BesideUsual, AddsTheErrorsOfBothMeans) {
  const LogRatio found = beside_usual({1.1, 1.3}, {1, 2, 3});
  EXPECT_DOUBLE_EQ(found.mean, 1.2 - 2);
  EXPECT_DOUBLE_EQ(found.standard_error, std::sqrt(1.0 / 2 + 1.0 / 3));
  EXPECT_EQ(found.degrees_of_freedom, 2);
}

TEST(Welch, OneValueDoesNotSayHowValuesDiffer) {
  const std::vector<double> one{1};
  const std::vector<double> two{1, 2};
  EXPECT_FALSE(log_ratio(one, two));
  EXPECT_FALSE(log_ratio(two, one));
  EXPECT_TRUE(log_ratio(two, two));
}

TEST(Welch, KnowsWhatNeverVaries) {
  const std::vector<double> one{1, 1};
  const std::vector<double> two{2, 2};
  EXPECT_EQ(p_value(*log_ratio(one, one)), 1);
  EXPECT_EQ(ratio_interval(*log_ratio(one, one), 0.95), (Interval{.low = 1, .high = 1}));
  EXPECT_EQ(p_value(*log_ratio(two, one)), 0);
  EXPECT_NEAR(ratio_interval(*log_ratio(two, one), 0.95).low, 2, 1e-12);
}

// ---- How often a 95 % interval holds the true ratio: why Welch's was chosen over a bootstrap.

using Generator = std::mt19937_64;
using Launch = std::function<double(Generator&)>;  // one launch's median, of a true mean logarithm of 0

/// Launches differ by about 2 %.
double normal(Generator& generator) {
  return std::exp(std::normal_distribution<double>(0, 0.02)(generator));
}
/// Two memory layouts, 3 % apart, that come up equally often.
double two_layouts(Generator& generator) {
  const double layout = generator() % 2 == 0 ? -0.015 : 0.015;
  return std::exp(layout + std::normal_distribution<double>(0, 0.005)(generator));
}
/// Some launches are slower by chance, none faster.
double one_sided(Generator& generator) {
  constexpr double typical = 0.015;
  return std::exp(std::exponential_distribution<double>(1 / typical)(generator) - typical);
}

std::vector<double> launches(const Launch& launch, int count, double factor, Generator& generator) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(factor * launch(generator));
  return values;
}

Interval welch(const std::vector<double>& over, const std::vector<double>& under, Generator&) {
  return ratio_interval(*log_ratio(over, under), 0.95);
}

/// Percentiles of ratios of means of launches drawn with replacement.
Interval bootstrap(const std::vector<double>& over, const std::vector<double>& under, Generator& generator) {
  const auto drawn_mean = [&](const std::vector<double>& values) {
    double mean = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      mean += std::log(values[generator() % values.size()]) / static_cast<double>(values.size());
    return mean;
  };
  std::vector<double> ratios;
  for (int i = 0; i < 200; ++i) ratios.push_back(std::exp(drawn_mean(over) - drawn_mean(under)));
  return {.low = quantile(ratios, 0.025), .high = quantile(ratios, 0.975)};
}

double coverage(
    const std::function<Interval(const std::vector<double>&, const std::vector<double>&, Generator&)>& of,
    const Launch& launch, int over, int under, int times) {
  Generator generator(1);
  constexpr double truth = 1.05;
  int covered = 0;
  for (int i = 0; i < times; ++i) {
    const Interval interval =
        of(launches(launch, over, truth, generator), launches(launch, under, 1, generator), generator);
    if (interval.low <= truth && truth <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / times;
}

TEST(WelchCoverage, IsThatOfA95PercentInterval) {
  for (const int count : {5, 10, 20}) {
    EXPECT_NEAR(coverage(welch, normal, count, count, 4000), 0.95, 0.015) << count;
    EXPECT_NEAR(coverage(welch, two_layouts, count, count, 4000), 0.95, 0.015) << count;
    EXPECT_NEAR(coverage(welch, one_sided, count, count, 4000), 0.95, 0.025) << count;
  }
  EXPECT_NEAR(coverage(welch, normal, 20, 5, 4000), 0.95, 0.015);
}

TEST(WelchCoverage, HoldsWithVeryFewLaunches) {
  for (const int count : {2, 3}) {
    EXPECT_GT(coverage(welch, normal, count, count, 4000), 0.94) << count;
    EXPECT_GT(coverage(welch, two_layouts, count, count, 4000), 0.92) << count;
  }
}

TEST(WelchCoverage, IsBetterThanABootstrapsWithFewLaunches) {
  EXPECT_LT(coverage(bootstrap, normal, 3, 3, 1000), 0.87);
  EXPECT_LT(coverage(bootstrap, normal, 5, 5, 1000), 0.92);
}

}  // namespace
}  // namespace breakeven
