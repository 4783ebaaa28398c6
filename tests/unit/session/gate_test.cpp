// Tests the number of pairs of samples that a gate takes in a launch.
#include "session/gate.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace breakeven {
namespace {

TEST(GatePairs, AreAnEvenNumberThatFitsIntoALaunch) {
  Measure measure;
  measure.max_seconds = 3;
  EXPECT_EQ(pairs_of_launch(0.010, measure), 10U);
  EXPECT_EQ(pairs_of_launch(0.050, measure), 8U);
  EXPECT_EQ(pairs_of_launch(0.070, measure), 6U);
  EXPECT_EQ(pairs_of_launch(30, measure), 2U) << "either side is first once";
}

/// Fifty unchanged cases took 2.3 minutes, and 6.5 with 5 % more work (docs/gate-quality.md).
TEST(GateTime, IsEstimatedByCasesBackendsAndLaunches) {
  const Config config = read_config(std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs/regression.json");
  const GateSeconds two = estimated_seconds(config, 2, {}), one = estimated_seconds(config, 1, {});
  EXPECT_THAT(two.unchanged / 60, testing::AllOf(testing::Gt(1.5), testing::Lt(4)));
  EXPECT_THAT(two.changed / 60, testing::AllOf(testing::Gt(5), testing::Lt(11)));
  EXPECT_DOUBLE_EQ(one.unchanged, two.unchanged / 2);
}

TEST(GatePairs, TakeAsLongAsWhatCameBefore) {
  Measure measure;
  measure.max_seconds = 1;
  EXPECT_EQ(pairs_of_launch(0.010, measure, 0.05), 10U) << "no fewer than without";
  EXPECT_EQ(pairs_of_launch(0.010, measure, 0.245), 24U);
  EXPECT_EQ(pairs_of_launch(0.010, measure, 60), 30U);
  EXPECT_DOUBLE_EQ(seconds_as_overhead(0.4, 12), 0.2) << "each side";
  EXPECT_DOUBLE_EQ(seconds_as_overhead(0.4, 6), 0.05) << "twelve launches fit into the case's time";
  EXPECT_EQ(seconds_as_overhead(0.4, 3), 0);
}

}  // namespace
}  // namespace breakeven
