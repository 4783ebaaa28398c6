#include "workloads/conv2d.h"

#include <gtest/gtest.h>

#include "workloads/workload.h"

namespace breakeven {
namespace {

/// The least FLOP of a convolution of one image, with `channels` channels and as many filters of 3 x 3.
double least_flop(std::int64_t size, std::int64_t channels, std::int64_t pad) {
  const Case made = make_case(*find_workload("conv2d"), {{"n", std::int64_t{1}},
                                                         {"c", channels},
                                                         {"h", size},
                                                         {"w", size},
                                                         {"k", channels},
                                                         {"r", std::int64_t{3}},
                                                         {"s", std::int64_t{3}},
                                                         {"pad", pad},
                                                         {"dtype", "f32"}});
  return made.workload->least(made.parameters).flop;
}

TEST(LeastWorkOfConvolutions, IsOneMultiplicationForEachResultAndChannel) {
  EXPECT_EQ(least_flop(8, 4, 0), 2 * 6 * 6 * 4 * 4);
  EXPECT_EQ(least_flop(8, 4, 1), 2 * 8 * 8 * 4 * 4);
}

/// The source has one element, and 3 x 3 of the 9 x 9 results read it.
TEST(LeastWorkOfConvolutions, IsNoneForResultsOfPaddingAlone) {
  EXPECT_EQ(least_flop(1, 4, 5), 2 * 3 * 3 * 4 * 4);
}

}  // namespace
}  // namespace breakeven
