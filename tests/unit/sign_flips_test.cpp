// The randomisation test against counting by hand.
#include "statistics/sign_flips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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
  EXPECT_DOUBLE_EQ(sign_flip_chance({1, 2, 3}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(sign_flip_chance(std::vector<double>(30, 0.05)), std::exp2(-30));
  EXPECT_DOUBLE_EQ(sign_flip_chance({-1, -2, -3}), 1);
}

TEST(SignFlips, CountWhatIsEqual) {
  EXPECT_DOUBLE_EQ(sign_flip_chance({}), 1);
  EXPECT_DOUBLE_EQ(sign_flip_chance({0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(sign_flip_chance({1, -1}), 0.75);
}

TEST(SignFlips, AreCountedAsByTryingAll) {
  std::mt19937_64 generator(5);
  std::normal_distribution draw(0.3, 1.0);
  for (std::size_t n = 1; n <= 12; ++n) {
    std::vector<double> values(n);
    for (double& v : values) v = draw(generator);
    EXPECT_DOUBLE_EQ(sign_flip_chance(values), by_trying_all(values)) << n;
  }
}

}  // namespace
}  // namespace breakeven
