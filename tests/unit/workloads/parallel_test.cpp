#include "workloads/parallel.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(PartOf, LeavesNoGapAndDiffersByOneAtMost) {
  for (const std::int64_t length : {0, 1, 5, 64, 97}) {
    for (const std::int64_t parts : {1, 2, 3, 64, 100}) {
      std::int64_t covered = 0;
      for (std::int64_t index = 0; index < parts; ++index) {
        const Part part = part_of(length, index, parts);
        EXPECT_EQ(part.first, covered);
        EXPECT_GE(part.count, length / parts);
        EXPECT_LE(part.count, length / parts + 1);
        covered = part.last();
      }
      EXPECT_EQ(covered, length) << parts << " parts";
    }
  }
}

}  // namespace
}  // namespace breakeven
