// How many pairs of samples a gate takes in a launch.
#include "session/gate.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace breakeven
