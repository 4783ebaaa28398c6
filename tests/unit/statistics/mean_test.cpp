// Means that are robust against what is far out: against figures of scipy.stats.mstats (1.10).
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "statistics/summary.h"

namespace breakeven {
namespace {

using testing::DoubleNear;

const std::vector<double> thirteen{3.1, -0.2, 1.4, 0.9, -7.5, 1.1, 0.7, 2.2, 1.0, 0.3, 1.9, 0.8, 15.0};

TEST(Mean, AndTheDeviationOfASample) {
  EXPECT_EQ(mean({2, 4, 4, 4, 5, 5, 7, 9}), 5);
  EXPECT_THAT(standard_deviation({2, 4, 4, 4, 5, 5, 7, 9}), DoubleNear(std::sqrt(32.0 / 7), 1e-12));
  EXPECT_THAT(standard_deviation({1, 3}), DoubleNear(std::sqrt(2), 1e-12));
}

TEST(TrimmedMean, LeavesOutAPartAtEitherEnd) {
  EXPECT_THAT(trimmed_mean(thirteen, 0), DoubleNear(mean(thirteen), 1e-12));
  EXPECT_THAT(trimmed_mean(thirteen, 0.1), DoubleNear(1.2, 1e-12));
  EXPECT_THAT(trimmed_mean(thirteen, 0.16), DoubleNear(1.14444444, 1e-8));
  EXPECT_EQ(trimmed_mean({5}, 0.4), 5);
}

TEST(TrimmedMean, HasTheStandardErrorOfTheWinsorisedValues) {
  EXPECT_THAT(trimmed_standard_error(thirteen, 0),
              DoubleNear(standard_deviation(thirteen) / std::sqrt(13), 1e-12));
  EXPECT_THAT(trimmed_standard_error(thirteen, 0.1), DoubleNear(0.3541761877, 1e-9));
  EXPECT_THAT(trimmed_standard_error(thirteen, 0.16), DoubleNear(0.2949157662, 1e-9));
}

TEST(TrimmedMean, HasAnIntervalOfAsManyAsAreLeft) {
  const Interval one = trimmed_mean_interval(thirteen, 0.1, 0.025);
  EXPECT_THAT(one.low, DoubleNear(0.41084628, 1e-7));
  EXPECT_THAT(one.high, DoubleNear(1.98915372, 1e-7));
  const Interval two = trimmed_mean_interval(thirteen, 0.16, 0.025);
  EXPECT_THAT(two.low, DoubleNear(0.46436747, 1e-7));
  EXPECT_THAT(two.high, DoubleNear(1.82452142, 1e-7));
}

TEST(TrimmedMean, OfEqualValuesIsThatAlone) {
  const Interval interval = trimmed_mean_interval({2, 2, 2, 2}, 0.15, 0.001);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 2);
}

TEST(TrimmedMean, IsNotMovedByWhatIsFarOut) {
  std::vector<double> other = thirteen;
  other.back() = 1e6;
  EXPECT_EQ(trimmed_mean(other, 0.15), trimmed_mean(thirteen, 0.15));
  EXPECT_EQ(trimmed_standard_error(other, 0.15), trimmed_standard_error(thirteen, 0.15));
}

}  // namespace
}  // namespace breakeven
