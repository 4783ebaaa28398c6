// Clopper and Pearson's interval against values that are known in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "statistics/summary.h"

namespace breakeven {
namespace {

TEST(Proportion, OfNoEventIsBoundedByTheRuleOfThreeAndAHalf) {
  const Interval none = proportion_interval(0, 300);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 1.0 / 300), 1e-12);
}

TEST(Proportion, OfEveryTrialIsItsMirror) {
  const Interval all = proportion_interval(300, 300);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 300), 1e-12);
  EXPECT_EQ(all.high, 1);
}

TEST(Proportion, OfHalfIsSymmetric) {
  const Interval half = proportion_interval(10, 20);
  EXPECT_NEAR(half.low, 1 - half.high, 1e-12);
  EXPECT_NEAR(half.low, 0.2720, 5e-4);  // R: binom.test(10, 20)$conf.int
}

TEST(Proportion, OfNoTrialsIsUnknown) {
  EXPECT_EQ(proportion_interval(0, 0), (Interval{.low = 0, .high = 1}));
}

}  // namespace
}  // namespace breakeven
