// A case: one problem has one id and one title.
#include <gmock/gmock.h>

#include "workloads/workload.h"

namespace breakeven {
namespace {

Parameters convolution() {
  return {{"c", 3}, {"h", 8}, {"w", 8}, {"k", 4}, {"r", 3}, {"s", 3}, {"dtype", "f32"}};
}

TEST(CaseId, LeavesOutWhatIsAtItsFallback) {
  EXPECT_EQ(make_case(*find_workload("conv2d"), convolution()).id(), "conv2d/c=3/h=8/w=8/k=4/r=3/s=3/f32");
}

TEST(CaseId, IsTheSameHoweverAStrideIsSaid) {
  auto implied = convolution();
  implied.set("stride", std::int64_t{2});
  implied.set("pad", std::int64_t{1});
  auto spelt_out = implied;
  spelt_out.set("stride_w", std::int64_t{2});
  spelt_out.set("pad_w", std::int64_t{1});
  const Workload& conv2d = *find_workload("conv2d");
  EXPECT_EQ(make_case(conv2d, spelt_out).id(), make_case(conv2d, implied).id());
}

TEST(CaseId, TellsDifferentStridesApart) {
  auto square = convolution();
  square.set("stride", std::int64_t{2});
  auto narrow = square;
  narrow.set("stride_w", std::int64_t{1});
  const Workload& conv2d = *find_workload("conv2d");
  EXPECT_NE(make_case(conv2d, square).id(), make_case(conv2d, narrow).id());
}

Case training(std::int64_t batch, std::int64_t ranks, bool batch_per_rank) {
  return make_case(*find_workload("train"), {{"network", "mlp"},
                                             {"batch", batch},
                                             {"ranks", ranks},
                                             {"batch_per_rank", batch_per_rank},
                                             {"dtype", "f32"}});
}

TEST(CaseId, OfABatchPerRankIsThatOfTheWholeBatch) {
  const Case weak = training(64, 2, true);
  EXPECT_EQ(weak.id(), "train/network=mlp/batch=128/ranks=2/f32");
  EXPECT_EQ(weak.id(), training(128, 2, false).id());
  EXPECT_EQ(weak.parameters.integer("batch"), 128);
  EXPECT_FALSE(weak.parameters.boolean("batch_per_rank"));
  EXPECT_EQ(weak.workload->samples(weak.parameters), 128);
  EXPECT_EQ(training(64, 1, true).id(), training(64, 1, false).id());
  // A program receives the case that was made, and makes it again: the batch must not grow once more.
  EXPECT_EQ(make_case(*weak.workload, weak.parameters).id(), weak.id());
}

TEST(CaseTitle, OfANetworkNamesItAndWhatIsNotUsual) {
  const Case step = make_case(*find_workload("train"),
                              {{"network", "mlp"}, {"batch", 128}, {"optimizer", "adam"}, {"dtype", "f32"}});
  EXPECT_EQ(step.workload->title(step.parameters), "mlp, batch 128, optimizer adam, f32");
  const Case batch = make_case(*find_workload("infer"), {{"network", "cnn"}, {"batch", 1}, {"dtype", "f32"}});
  EXPECT_EQ(batch.workload->title(batch.parameters), "cnn, batch 1, f32");
}

}  // namespace
}  // namespace breakeven
