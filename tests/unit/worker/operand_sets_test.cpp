// Tests the number of operand sets that exceed a machine's caches.
#include "worker/operand_sets.h"

#include <gmock/gmock.h>

#include "worker/backend.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

constexpr std::int64_t plenty = std::int64_t{1} << 60;

/// A product whose operands and result take 12 n^2 bytes.
Case product(std::int64_t n, const std::string& operands = "rotating") {
  return make_case(*find_workload("matmul"),
                   {{"m", n}, {"n", n}, {"k", n}, {"operands", operands}, {"dtype", std::string("f32")}});
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
  try {
    sets(product(1), 1 << 20, plenty);
    FAIL() << "174763 sets";
  } catch (const Unsupported& e) {
    EXPECT_THAT(e.what(), HasSubstr("of 0.0117 KiB each, it takes 174763 sets to leave caches of 1 MiB"));
    EXPECT_THAT(e.what(), HasSubstr("65536 at most"));
  }
}

TEST(OperandSets, ThatDoNotFitAreSaidBeforeTheyAreAllocated) {
  try {
    sets(product(1024), 1 << 30, 1 << 30);
    FAIL() << "two GiB in one";
  } catch (const OutOfMemory& e) {
    EXPECT_THAT(e.what(), HasSubstr("171 sets of operands need 2 GiB and 1 GiB is available"));
  }
}

}  // namespace
}  // namespace breakeven
