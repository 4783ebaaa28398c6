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

}  // namespace
}  // namespace breakeven
