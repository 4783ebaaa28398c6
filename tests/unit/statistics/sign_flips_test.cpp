// The randomisation test against counting by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "statistics/significance.h"

namespace breakeven {
namespace {

double by_trying_all(const std::vector<double>& values) {
  double observed = 0;
  for (const double v : values) observed += v;
  const std::size_t all = std::size_t{1} << values.size();
  std::size_t reached = 0;
  for (std::size_t signs = 0; signs < all; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += (signs >> i & 1) != 0 ? -values[i] : values[i];
    if (sum >= observed - 1e-12) ++reached;
  }
  return static_cast<double>(reached) / static_cast<double>(all);
}

TEST(SignFlips, OfValuesOfOneSignAreOneInTwoToTheirNumber) {
  EXPECT_DOUBLE_EQ(sign_flip_p_value({1, 2, 3}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>(30, 0.05)), std::exp2(-30));
  EXPECT_DOUBLE_EQ(sign_flip_p_value({-1, -2, -3}), 1);
}

TEST(SignFlips, CountWhatIsEqual) {
  EXPECT_DOUBLE_EQ(sign_flip_p_value({}), 1);
  EXPECT_DOUBLE_EQ(sign_flip_p_value({0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(sign_flip_p_value({1, -1}), 0.75);
}

TEST(SignFlips, AreCountedAsByTryingAll) {
  std::mt19937_64 generator(5);
  std::normal_distribution draw(0.3, 1.0);
  for (std::size_t n = 1; n <= 12; ++n) {
    std::vector<double> values(n);
    for (double& v : values) v = draw(generator);
    EXPECT_DOUBLE_EQ(sign_flip_p_value(values), by_trying_all(values)) << n;
  }
}

TEST(Limited, ValuesKeepTheirSignsAndNoneOutweighsMost) {
  EXPECT_THAT(limited({5, -4, 6, -80, 5}, 1.5), testing::ElementsAre(5, -4, 6, -7.5, 5));
  EXPECT_THAT(limited({0, 0, 0}, 2), testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(limited({}, 2), testing::IsEmpty());
}

/// A launch that is far out hides a change from the plain mean, but not from the test of limited values.
TEST(Limited, ValuesShowAChangeThatOneHides) {
  std::vector<double> changes(22, 0.05);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] += 0.001 * static_cast<double>(i % 5);
  changes[7] = -0.5;
  EXPECT_GT(sign_flip_p_value(changes), 1e-2);
  EXPECT_LT(sign_flip_p_value(limited(changes, 1.5)), 1e-4);
}

/// If nothing changed, signs are random whatever the magnitudes: the p-value is below any level at most that
/// often.
TEST(Limited, ValuesKeepTheTestExact) {
  std::mt19937_64 generator(3);
  std::student_t_distribution<double> draw(1.5);
  constexpr int trials = 4000;
  int below = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> values(14);
    for (double& v : values) v = draw(generator);
    if (sign_flip_p_value(limited(values, 1.5)) <= 0.05) ++below;
  }
  EXPECT_LE(below, trials * 0.05 + 3 * std::sqrt(trials * 0.05 * 0.95));
  EXPECT_GE(below, trials * 0.03) << "and not by never being small";
}

}  // namespace
}  // namespace breakeven
