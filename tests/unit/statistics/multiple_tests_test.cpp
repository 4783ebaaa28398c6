#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "statistics/distributions.h"
#include "statistics/significance.h"

namespace breakeven {
namespace {

/// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
TEST(Holm, GivesWhatRDoes) {
  const auto adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
}

TEST(Holm, StaysBetween0And1) {
  EXPECT_TRUE(holm_adjusted({}).empty());
  EXPECT_EQ(holm_adjusted({0.7, 0.9}), (std::vector<double>{1, 1}));
  EXPECT_EQ(holm_adjusted({0.02}), std::vector<double>{0.02});
}

/// 50 tests of nothing, 4000 times: 5 % of the suites have a false one, where 92 % would without adjusting.
TEST(Holm, HoldsTheErrorRateOfASuite) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> p;
  int suites = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<double> p_values(50);
    for (double& value : p_values) value = p(generator);
    const auto adjusted = holm_adjusted(p_values);
    suites += *std::min_element(adjusted.begin(), adjusted.end()) <= 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(suites / 4000.0, 0.05, 0.01);
}

/// R: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.9), "BH")
TEST(BenjaminiHochberg, GivesWhatRDoes) {
  const auto adjusted = benjamini_hochberg_adjusted({0.01, 0.04, 0.03, 0.005, 0.9});
  const std::vector<double> expected{0.025, 0.05, 0.05, 0.025, 0.9};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
  EXPECT_TRUE(benjamini_hochberg_adjusted({}).empty());
}

TEST(CriticalRatio, IsWhereTheTestJustRejects) {
  LogRatio ratio{.mean = 0, .standard_error = 0.01, .degrees_of_freedom = 3};
  ratio.mean = std::log(critical_ratio(ratio, 0.001));
  EXPECT_NEAR(p_value(ratio) / 2, 0.001, 1e-9);
  ratio.standard_error = 0;
  EXPECT_EQ(critical_ratio(ratio, 0.001), 1);
}

/// One of three values may be high, so the whole error is its own.
TEST(HighestValue, OfThreeIsATTestTimesThree) {
  const std::vector<double> values{0.5, 0.02, -0.02};
  const HighestValue found = test_highest(values);
  const double t = 0.5 / (0.02 * std::sqrt(2.0) * std::sqrt(1.5));
  EXPECT_NEAR(found.p_value, 3 * student_t_tail(1, t), 1e-12);
  EXPECT_NEAR(found.ratio.mean, 0.5, 1e-15);
  EXPECT_EQ(test_highest(std::vector<double>{1, 0}).p_value, 1);
  EXPECT_EQ(test_highest({}).p_value, 1);
}

TEST(HighestValue, IsNotHiddenByOthersAsHigh) {
  for (const std::size_t high : {1, 2, 3}) {
    std::vector<double> values(high, 0.7);
    for (const double usual : {0.01, 0.005, 0.0, -0.005, -0.01}) values.push_back(usual);
    const HighestValue found = test_highest(values);
    EXPECT_LT(found.p_value, 1e-4) << high;
    EXPECT_NEAR(found.ratio.mean, 0.7, 1e-12) << high;
  }
}

/// Half of them may as well be low.
TEST(HighestValue, OfTwoHalvesIsNotFound) {
  EXPECT_GT(test_highest(std::vector<double>{0.71, 0.7, 0.01, 0}).p_value, 0.1);
}

TEST(HighestValue, OfAlikeValuesIsSeldomFound) {
  constexpr int families = 2000;
  for (const std::size_t size : {3, 5, 8, 20}) {
    std::mt19937_64 generator(size);
    std::normal_distribution<double> varied(0, 1);
    int found = 0;
    for (int i = 0; i < families; ++i) {
      std::vector<double> values(size);
      for (double& value : values) value = varied(generator);
      std::ranges::sort(values, std::ranges::greater());
      found += test_highest(values).p_value <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(found, families / 20 + 30) << size << ": 5 %, and what chance adds";
  }
}

/// Their numbers of choices, and the p-value of the upper half, exceed the range of a double.
TEST(HighestValue, OfThousandsIsFoundOnlyIfItIsHigh) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> varied(0, 1);
  std::vector<double> values(2500);
  for (double& value : values) value = varied(generator);
  std::ranges::sort(values, std::ranges::greater());
  EXPECT_GT(test_highest(values).p_value, 0.1);
  values.front() = 10;
  EXPECT_LT(test_highest(values).p_value, 1e-6);
}

TEST(LevelOfHighest, IsSharedByTheNumbersOfHighValues) {
  EXPECT_NEAR(level_of_highest(3, 1, 0.03), 0.01, 1e-15);
  EXPECT_NEAR(level_of_highest(5, 1, 0.03), 0.03 * 2 / 3 / 5, 1e-15);
  EXPECT_NEAR(level_of_highest(5, 2, 0.03), 0.03 / 3 / 10, 1e-15);
}

}  // namespace
}  // namespace breakeven
