// Tests the cases by which `fits` is asked.
#include "workloads/fit.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "protocol/messages.h"

namespace breakeven {
namespace {

Parameters fits_of(const std::string& of) {
  return make_case(*find_workload("fits"), {{"of", of}, {"dtype", "f32"}}).parameters;
}

/// The sizes double up to `largest_asked`, and a config allows less.
TEST(CaseOfSize, MayBeBeyondWhatAConfigMayAskFor) {
  const std::vector<std::pair<std::string, std::string>> sizes{
      {"matmul", "m"}, {"train", "batch"}, {"infer", "batch"}};
  for (const auto& [of, parameter] : sizes) {
    const Case largest = case_of_size(fits_of(of), largest_asked);
    EXPECT_EQ(largest.parameters.integer(parameter), largest_asked) << of;
    EXPECT_THROW(make_case(*largest.workload, largest.parameters), InvalidCase) << of;
    const Request asked = request::Prepare{.problem = largest, .seed = 1, .cold = false};
    EXPECT_THAT(to_line(asked), testing::HasSubstr("1073741824")) << of;
  }
}

TEST(CaseOfSize, IsUntunedAndHasWhatFitsNames) {
  const Parameters adam =
      make_case(*find_workload("fits"),
                {{"of", "train"}, {"network", "cnn"}, {"optimizer", "adam"}, {"dtype", "bf16"}})
          .parameters;
  const Case step = case_of_size(adam, 96);
  EXPECT_EQ(step.id(), "train/network=cnn/batch=96/optimizer=adam/tuned=false/bf16");
}

}  // namespace
}  // namespace breakeven
