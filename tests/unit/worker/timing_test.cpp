#include "worker/timing.h"

#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace breakeven {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::SizeIs;

/// Notes what is asked of it. Each call of run_many() takes a millisecond.
class Noting final : public Prepared {
 public:
  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    asked.push_back(times);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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

class Failing final : public Prepared {
 public:
  void run() override {
    if (++runs > 1) throw std::runtime_error("no more");
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

  int runs = 0;
};

TEST(TakeSample, ThatFailsLeavesNothingForTheNext) {
  for (const bool each_iteration : {false, true}) {
    Failing failing;
    EXPECT_THROW(take_sample(failing, "a", 3, {.transfer = {}, .each_iteration = each_iteration}),
                 std::runtime_error);
    Counting prepared;
    take_sample(prepared, "b", 5, {});
    EXPECT_EQ(prepared.runs, 5);
    EXPECT_EQ(failing.runs, 2);
  }
}

TEST(TakeSample, AsksForAllRunsOfASampleAtOnce) {
  Noting prepared;
  const answer::Sample sample = take_sample(prepared, "a", 1000, {});
  EXPECT_THAT(prepared.asked, ElementsAre(1000));
  EXPECT_EQ(sample.iterations, 1000);
  EXPECT_GE(sample.seconds, 1e-3 / 1000);
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
  EXPECT_THAT(sample.latencies, testing::AllOf(SizeIs(3), Each(Ge(1e-3))));
}

TEST(TakeSample, MovesDataBeforeTheRunsOfEachIteration) {
  Noting prepared;
  take_sample(prepared, "a", 2, {.transfer = {.policy = Transfer::Policy::each, .repetitions = 5}});
  EXPECT_THAT(prepared.asked, ElementsAre(0, 5, 0, 5));
}

/// The number of runs in a sample of three iterations.
int runs_of_sample(const SampleMode& mode) {
  Counting prepared;
  const answer::Sample sample = take_sample(prepared, "counted", 3, mode);
  EXPECT_EQ(sample.iterations, 3);
  EXPECT_EQ(sample.latencies.size(), mode.each_iteration ? 3U : 0U);
  return prepared.runs;
}

/// The first iterations on a GPU wait until it switches from another process's work.
TEST(TakeSample, OnADeviceItBeginsWithIterationsThatAreNotTimed) {
  EXPECT_EQ(runs_of_sample({.transfer = {}, .each_iteration = true, .on_device = true}), 4);
  EXPECT_EQ(runs_of_sample({.transfer = {}, .each_iteration = true}), 3);
  EXPECT_EQ(runs_of_sample({.transfer = {}, .on_device = true}), 4);
  EXPECT_EQ(runs_of_sample({.transfer = {}, .on_device = true, .device_seconds = false}), 3);
  Noting prepared;
  take_sample(prepared, "a", 1000, {.transfer = {}, .on_device = true});
  EXPECT_THAT(prepared.asked, ElementsAre(100, 1000)) << "waits between the two, and then reads the clock";
  EXPECT_EQ(
      runs_of_sample({.transfer = {}, .each_iteration = true, .on_device = true, .device_seconds = false}), 3)
      << "energy is measured around exactly these";
}

}  // namespace
}  // namespace breakeven
