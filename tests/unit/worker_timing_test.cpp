#include <gmock/gmock.h>

#include "worker/timing.h"

namespace breakeven {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::SizeIs;

/// Notes what is asked of it.
class Noting final : public Prepared {
 public:
  void run() override { run_many(1); }
  void run_many(std::int64_t times) override { asked.push_back(times); }
  void bring() override { asked.push_back(0); }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

  std::vector<std::int64_t> asked;
};

class Counting final : public Prepared {
 public:
  void run() override { ++runs; }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

  int runs = 0;
};

TEST(TakeSample, AsksForAllRunsOfASampleAtOnce) {
  Noting prepared;
  const answer::Sample sample = take_sample(prepared, "a", 1000, {});
  EXPECT_THAT(prepared.asked, ElementsAre(1000));
  EXPECT_EQ(sample.iterations, 1000);
  EXPECT_GE(sample.seconds, 0);
}

TEST(TakeSample, RunsAsOftenAsItIsAsked) {
  Counting prepared;
  take_sample(prepared, "a", 1000, {});
  EXPECT_EQ(prepared.runs, 1000);
}

TEST(TakeSample, TimesEachIterationAlone) {
  Noting prepared;
  const answer::Sample sample = take_sample(prepared, "a", 3, {.transfer = {}, .each_iteration = true});
  EXPECT_THAT(prepared.asked, ElementsAre(1, 1, 1));
  EXPECT_THAT(sample.latencies, testing::AllOf(SizeIs(3), Each(Ge(0))));
}

TEST(TakeSample, MovesDataBeforeTheRunsOfEachIteration) {
  Noting prepared;
  take_sample(prepared, "a", 2, {.transfer = {.policy = Transfer::Policy::each, .repetitions = 5}});
  EXPECT_THAT(prepared.asked, ElementsAre(0, 5, 0, 5));
}

}  // namespace
}  // namespace breakeven
