// The time left that a run shows, over sequences that were recorded.
#include "session/time_left.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace breakeven {
namespace {

using testing::DoubleNear;
using testing::Eq;
using testing::Optional;

/// The time left that would be shown after a step, and the time that was actually left, in seconds.
struct Shown {
  std::optional<double> left;
  double truth = 0;
};

std::vector<Shown> replay(std::vector<RunStep> steps) {
  std::vector<double> seconds;
  double truth = 0, now = 0;
  for (RunStep& step : steps) {
    seconds.push_back(*step.seconds);
    truth += *step.seconds;
    step.seconds.reset();
  }
  Countdown countdown;
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].seconds = seconds[i];
    now += seconds[i];
    truth -= seconds[i];
    countdown.update(now, estimate_seconds_left(steps));
    shown.push_back({.left = countdown.left(now), .truth = truth});
  }
  return shown;
}

/// configs/quick.json on two busy cores, with openblas, blis and onednn.
std::vector<RunStep> quick() {
  return {{"matmul", "", 33.6e6, 3, 4.11},  {"matmul", "", 2147e6, 3, 6.34},  {"conv2d", "", 1850e6, 3, 7.69},
          {"train", "mlp", 411e6, 3, 8.06}, {"infer", "mlp", 1.3e6, 3, 4.44}, {"infer", "mlp", 86e6, 3, 3.86},
          {"infer", "cnn", 24e6, 3, 3.92},  {"infer", "cnn", 1535e6, 3, 5.12}};
}

/// configs/training.json on the same, where others worked, too: a second for each case, and the reference's
/// result takes most of the time of the large ones.
std::vector<RunStep> training() {
  return {{"train", "mlp", 51.3e6, 3, 8.42},          {"train", "mlp", 411e6, 3, 5.97},
          {"train", "mlp", 3286e6, 3, 14.43},         {"train", "lenet", 36.2e6, 3, 5.04},
          {"train", "lenet", 290e6, 3, 7.51},         {"train", "lenet", 2318e6, 3, 21.61},
          {"train", "cnn", 1145e6, 3, 7.20},          {"train", "cnn", 9160e6, 3, 26.24},
          {"train", "cnn", 73283e6, 3, 189.61},       {"train", "transformer", 554e6, 3, 8.82},
          {"train", "transformer", 4434e6, 3, 23.99}, {"train", "transformer", 35475e6, 3, 144.15},
          {"train", "mlp", 411e6, 3, 9.88},           {"train", "lenet", 290e6, 3, 10.62},
          {"train", "cnn", 9160e6, 3, 36.16},         {"train", "transformer", 4434e6, 3, 29.94}};
}

class RecordedRun : public testing::TestWithParam<std::string> {};

TEST_P(RecordedRun, WhatIsShownIsRightWithinAFactorOfTwoAndDoesNotJump) {
  std::optional<double> before;
  std::size_t count = 0;
  for (const auto& [left, truth] : replay(GetParam() == "quick" ? quick() : training())) {
    if (left && truth > 0) {
      ++count;
      EXPECT_LE(*left, 2 * truth + 1) << truth;
      EXPECT_GE(*left, truth / 2 - 1) << truth;
      if (before) {
        EXPECT_LE(*left, 1.15 * *before + 1) << "it goes down, but for a little";
      }
    }
    before = left;
  }
  EXPECT_GE(count, 3U) << "it must be shown at all";
}

INSTANTIATE_TEST_SUITE_P(TimeLeft, RecordedRun, testing::Values("quick", "training"),
                         [](const auto& run) { return run.param; });

RunStep todo(const std::string& kind, double work = 1e6, double backends = 1) {
  return {.kind = kind, .variant = "", .work = work, .backends = backends};
}

RunStep done(RunStep step, double seconds) {
  step.seconds = seconds;
  return step;
}

TEST(TimeLeft, NothingIsKnownBeforeTheFirstStep) {
  EXPECT_EQ(estimate_seconds_left(std::vector{todo("matmul"), todo("matmul")}), std::nullopt);
}

TEST(TimeLeft, StepsOfOneVariantTakeAsLongForEachBackend) {
  const std::vector steps{done(todo("infer", 1e6, 2), 4), todo("infer", 1e6, 3), todo("infer", 1e6, 1)};
  EXPECT_THAT(estimate_seconds_left(steps), Optional(DoubleNear(8, 1e-9)));
}

TEST(TimeLeft, WhatGrowsWithTheWorkIsFollowed) {
  const std::vector steps{done(todo("conv2d", 1e9), 3), done(todo("conv2d", 5e9), 7), todo("conv2d", 9e9)};
  EXPECT_THAT(estimate_seconds_left(steps), Optional(DoubleNear(11, 1e-9)));
}

TEST(TimeLeft, AFewStepsOfAnUnknownKindMayBeLeft) {
  std::vector<RunStep> steps{done(todo("matmul"), 2)};
  steps.insert(steps.end(), 9, todo("matmul"));
  steps.push_back(todo("conv2d"));
  EXPECT_THAT(estimate_seconds_left(steps), Optional(DoubleNear(20, 1e-9)));
  steps.insert(steps.end(), 40, todo("conv2d"));
  EXPECT_EQ(estimate_seconds_left(steps), std::nullopt);
}

TEST(TimeLeft, OneFarLargerStepMakesItUnknown) {
  std::vector<RunStep> steps{done(todo("train", 1e6), 2), done(todo("train", 2e6), 2)};
  steps.push_back(todo("train", 4e6));
  EXPECT_NE(estimate_seconds_left(steps), std::nullopt);
  steps.push_back(todo("train", 1e9));
  EXPECT_EQ(estimate_seconds_left(steps), std::nullopt);
}

TEST(TimeLeft, AtTheEndNothingIsLeft) {
  EXPECT_THAT(estimate_seconds_left(std::vector{done(todo("matmul"), 2)}), Optional(Eq(0.0)));
}

TEST(TimeLeft, CountsDownAndNeverBelowNothing) {
  Countdown countdown;
  EXPECT_EQ(countdown.left(0), std::nullopt);
  countdown.update(10, 20);
  EXPECT_THAT(countdown.left(15), Optional(Eq(15.0)));
  countdown.update(15, 35);  // half of the way from 15 to 35
  EXPECT_THAT(countdown.left(15), Optional(Eq(25.0)));
  EXPECT_THAT(countdown.left(100), Optional(Eq(0.0)));
  countdown.update(100, std::nullopt);
  EXPECT_EQ(countdown.left(100), std::nullopt);
}

}  // namespace
}  // namespace breakeven
