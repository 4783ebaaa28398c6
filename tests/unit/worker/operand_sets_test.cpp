// Tests the number of operand sets that exceed a machine's caches.
#include "worker/operand_sets.h"

#include <gmock/gmock.h>

#include "unit/messages.h"
#include "worker/backend.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t plenty = std::int64_t{1} << 60;

/// A product whose operands and result take 12 n^2 bytes.
Case product(std::int64_t n, const std::string& operands = "rotating") {
  return make_case(*find_workload("matmul"),
                   {{"m", n}, {"n", n}, {"k", n}, {"operands", operands}, {"dtype", "f32"}});
}

std::int64_t sets(const Case& problem, std::int64_t cache_bytes, std::int64_t available) {
  return operand_sets(
      problem, [=] { return cache_bytes; }, [=] { return available; });
}

TEST(OperandSets, AreOneWhereOperandsAreReused) {
  EXPECT_EQ(sets(product(64, "reused"), 1 << 30, plenty), 1);
  EXPECT_EQ(operand_sets_on_host(product(64, "reused")), 1);
}

TEST(OperandSets, TakeTwiceTheCachesTogether) {
  EXPECT_EQ(sets(product(64), 12 * 64 * 64, plenty), 2);
  EXPECT_EQ(sets(product(64), 12 * 64 * 64 + 1, plenty), 3);
  EXPECT_EQ(sets(product(64), 100 * 12 * 64 * 64, plenty), 200);
}

TEST(OperandSets, AreTwoAtLeast) {
  EXPECT_EQ(sets(product(4096), 1024, plenty), 2);
}

TEST(OperandSets, ThatWouldBeTooManyAreUnsupported) {
  EXPECT_THAT(message_of<Unsupported>([] { sets(product(1), 1 << 20, plenty); }),
              AllOf(HasSubstr("of 0.0117 KiB each, it takes 174763 sets to leave caches of 1 MiB"),
                    HasSubstr("65536 at most")));
}

TEST(OperandSets, ThatDoNotFitAreSaidBeforeTheyAreAllocated) {
  EXPECT_THAT(message_of<OutOfMemory>([] { sets(product(1024), 1 << 30, 1 << 30); }),
              HasSubstr("171 sets of operands need 2 GiB and 1 GiB is available"));
  const auto of_three_ways = [](std::int64_t available) {
    return operand_sets(
        product(1024), [] { return 1 << 20; }, [=] { return available; }, 3);
  };
  EXPECT_EQ(of_three_ways(6 * 12 * 1024 * 1024), 2);
  EXPECT_THAT(message_of<OutOfMemory>([&] { of_three_ways(6 * 12 * 1024 * 1024 - 1); }),
              HasSubstr("2 sets of operands for each of 3 algorithms need"));
}

}  // namespace
}  // namespace breakeven
