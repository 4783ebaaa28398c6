#include "backends/native/arrays.h"

#include <gmock/gmock.h>

#include <numeric>

namespace breakeven::native {
namespace {

TEST(NativeArrays, EveryElementHasItsPasses) {
  std::vector<int> passes(1024);
  on_parts_repeatedly<float>(3, std::ssize(passes), [&](std::int64_t first, std::int64_t last, int) {
    for (std::int64_t i = first; i < last; ++i) ++passes[static_cast<std::size_t>(i)];
  });
  EXPECT_THAT(passes, testing::Each(3));
}

TEST(NativeArrays, LeaveTheCachesWhereTheyAreLarger) {
  const auto caches = static_cast<std::int64_t>(total_cache_bytes());
  EXPECT_FALSE(leave_caches(256 << 10));
  EXPECT_FALSE(leave_caches(caches));
  EXPECT_TRUE(leave_caches(caches + 1));
}

}  // namespace
}  // namespace breakeven::native
