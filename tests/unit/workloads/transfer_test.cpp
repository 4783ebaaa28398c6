// Tests the id, iteration and title of a case that moves data.
#include "workloads/transfer.h"

#include <gmock/gmock.h>

#include "workloads/workload.h"

namespace breakeven {
namespace {

Case product(const std::string& transfer, std::optional<std::int64_t> repetitions = {}) {
  Parameters given{{"m", 2}, {"n", 3}, {"k", 4}, {"transfer", transfer}, {"dtype", "f32"}};
  if (repetitions) given.set("repetitions", *repetitions);
  return make_case(*find_workload("matmul"), given);
}

TEST(Transfer, OfAResidentCaseIsWhatItWasBefore) {
  const Case resident = product("resident");
  EXPECT_EQ(resident.id(), "matmul/m=2/n=3/k=4/f32");
  EXPECT_EQ(resident.flop(), 48);
  EXPECT_EQ(resident.bytes(), 4 * (8 + 12 + 6));
  EXPECT_FALSE(Transfer::of(resident.parameters).moves());
}

TEST(Transfer, IterationsOfOnceAreSoManyRuns) {
  const Case once = product("once", 100);
  EXPECT_EQ(once.id(), "matmul/m=2/n=3/k=4/transfer=once/repetitions=100/f32");
  EXPECT_EQ(once.flop(), 4800);
  EXPECT_EQ(once.bytes(), 100 * 4 * (8 + 12 + 6));
  EXPECT_EQ(once.workload->title(once.parameters), "2 x 3 x 4 f32, moved once for 100");
  EXPECT_EQ(Transfer::of(once.parameters).repetitions, 100);
}

TEST(Transfer, RepetitionsMeanNothingWithoutOnce) {
  EXPECT_EQ(product("each", 100).id(), product("each").id());
  EXPECT_EQ(product("each", 100).flop(), 48);
  EXPECT_EQ(product("resident", 7).id(), "matmul/m=2/n=3/k=4/f32");
  const Case each = product("each");
  EXPECT_EQ(each.workload->title(each.parameters), "2 x 3 x 4 f32, moved each time");
}

TEST(Transfer, ImagesOfAnIterationAreThoseOfAllItsRuns) {
  const Case steps = make_case(
      *find_workload("train"),
      {{"network", "mlp"}, {"batch", 64}, {"transfer", "once"}, {"repetitions", 5}, {"dtype", "f32"}});
  EXPECT_EQ(steps.samples(), 320);
}

TEST(Transfer, IsKnownToWorkloadsThatReadAndWriteOperands) {
  for (const auto* op : {"matmul", "conv2d", "train", "infer", "read", "triad"}) {
    const auto& known = find_workload(op)->parameters();
    ASSERT_GE(known.size(), 3U);
    EXPECT_EQ(known[known.size() - 3].name, "transfer") << op;
    EXPECT_EQ(known.back().name, "dtype") << op;
  }
}

}  // namespace
}  // namespace breakeven
