#include "worker/timing.h"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
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
  void copy_inputs_to_device() override { asked.push_back(0); }
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

/// Writes down the order of what it is asked.
class Recording final : public Prepared {
 public:
  explicit Recording(bool fetches = false) : fetches_(fetches) {}
  void prepare_runs(std::int64_t runs) override { order += "prepare " + std::to_string(runs) + ", "; }
  void run() override { order += "run, "; }
  void copy_inputs_to_device() override { order += "bring, "; }
  bool copy_outputs_to_host() override {
    order += "fetch, ";
    return fetches_;
  }
  void wait() override { order += "wait, "; }
  bool flush() override {
    order += "flush, ";
    return true;
  }
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override {
    order += "device " + std::to_string(runs) + " " + std::to_string(iterations) + (cold ? " cold: " : ": ");
    enqueue();
    return 0.25;
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

  std::string order;

 private:
  bool fetches_;
};

TEST(TakeSample, WaitsForEachResultThatIsCopiedAndOtherwiseOnceAtTheEnd) {
  const SampleMode moves{.transfer = {.policy = Transfer::Policy::each}, .device_seconds = false};
  Recording fetching(true);
  take_sample(fetching, "a", 2, moves);
  EXPECT_EQ(fetching.order, "prepare 2, bring, run, fetch, wait, bring, run, fetch, wait, wait, ");
  Recording bringing(false);
  take_sample(bringing, "a", 2, moves);
  EXPECT_EQ(bringing.order, "prepare 2, bring, run, fetch, bring, run, fetch, wait, ");
}

TEST(TakeSample, WithColdCachesFlushesBeforeEachIteration) {
  Recording prepared;
  take_sample(prepared, "a", 2, {.transfer = {}, .cold = true, .device_seconds = false});
  EXPECT_EQ(prepared.order, "prepare 2, flush, run, wait, flush, run, wait, ");
}

TEST(TakeSample, TakesTheDevicesTimeOfFurtherIterations) {
  Recording prepared;
  const answer::Sample sample =
      take_sample(prepared, "a", 1,
                  {.transfer = {.policy = Transfer::Policy::each, .repetitions = 2}, .each_iteration = true});
  EXPECT_EQ(prepared.order,
            "prepare 2, bring, run, run, fetch, wait, prepare 2, device 2 1: bring, run, run, fetch, ");
  EXPECT_EQ(sample.device_seconds, 0.25);
  EXPECT_THAT(sample.latencies, SizeIs(1));
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
