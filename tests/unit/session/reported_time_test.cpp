#include "session/reported_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "reports/words/notes.h"

namespace breakeven {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

answer::Sample sample_of(double seconds, std::int64_t iterations = 1) {
  answer::Sample sample;
  sample.iterations = iterations;
  sample.seconds = seconds;
  return sample;
}

TEST(ReportedTime, IsNotLongerThanTheRequest) {
  EXPECT_EQ(why_not_believed(sample_of(1), {.wall = 1.001}), "");
  EXPECT_EQ(why_not_believed(sample_of(1.005), {.wall = 1}), "") << "clocks differ by a little";
  EXPECT_THAT(why_not_believed(sample_of(1.02), {.wall = 1}),
              HasSubstr("reported 1.02 s for a sample, but only 1 s passed"));
  EXPECT_NE(why_not_believed(sample_of(1e300, 1000'000'000), {.wall = 1}), "");
  EXPECT_TRUE(shows_clock_jump(sample_of(1.02), {.wall = 1}));
}

TEST(ReportedTime, IsMostOfTheRequest) {
  EXPECT_EQ(why_not_believed(sample_of(1e-3, 1000), {.wall = 1.05}), "");
  EXPECT_EQ(why_not_believed(sample_of(0.6), {.wall = 1}), "");
  EXPECT_THAT(why_not_believed(sample_of(0.5), {.wall = 1}),
              HasSubstr("reported 0.5 s for a sample that took 1 s"));
  for (const double factor : {2.0, 3.0, 1e3, 1e12, 1e300})
    EXPECT_NE(why_not_believed(sample_of(1 / factor), {.wall = 1}), "") << factor;
  EXPECT_FALSE(shows_clock_jump(sample_of(0.5), {.wall = 1}));
}

TEST(ReportedTime, MayLeaveOutWhatTheProtocolAllows) {
  EXPECT_NE(why_not_believed(sample_of(0.1), {.wall = 1}), "");
  EXPECT_EQ(why_not_believed(sample_of(0.1), {.wall = 1, .untimed = 0.8}), "") << "flushes of caches";
}

TEST(ReportedTime, IsNotLessThanTheProgramComputed) {
  EXPECT_THAT(why_not_believed(sample_of(1), {.wall = 1, .computed = 2}), HasSubstr("that took 2 s"))
      << "both clocks are slow, and the kernel's count of CPU time is not";
}

TEST(ReportedTime, IsOneThatAClockCanMeasure) {
  EXPECT_THAT(why_not_believed(sample_of(5e-324, 1), {.wall = 0}), HasSubstr("a processor's cycle"));
  EXPECT_NE(why_not_believed(sample_of(0), {.wall = 0}), "");
  EXPECT_TRUE(shows_clock_jump(sample_of(-1e-3), {.wall = 1}));
  answer::Sample timed_singly = sample_of(1e-3, 2);
  timed_singly.latencies = {3e-3, -1e-3};
  EXPECT_THAT(why_not_believed(timed_singly, {.wall = 2e-3}), HasSubstr("its clock went back"));
}

TEST(ReportedTime, IsThatOfItsIterationsOneByOne) {
  answer::Sample sample = sample_of(1e-3, 10);
  const RequestTimes request{.wall = 1.1e-2, .untimed = 1e-5};
  sample.latencies.assign(10, 1e-3);
  EXPECT_EQ(why_not_believed(sample, request), "");
  sample.latencies.assign(10, 0.9e-3);
  EXPECT_EQ(why_not_believed(sample, request), "") << "the clock is read between them";
  sample.latencies.assign(10, 0.5e-3);
  EXPECT_THAT(why_not_believed(sample, request),
              HasSubstr("0.01 s for a sample, and 0.005 s for its iterations"));
  sample.latencies.assign(10, 1.1e-3);
  EXPECT_THAT(why_not_believed(sample, request),
              HasSubstr("0.01 s for a sample, and 0.011 s for its iterations"));
}

TEST(ReportedTime, OfAnEpochIsMostOfIt) {
  EXPECT_FALSE(is_too_short(0.31, {.wall = 1}));
  EXPECT_TRUE(is_too_short(0.28, {.wall = 1}));
  EXPECT_FALSE(is_too_short(0.28, {.wall = 1, .clock_step = 0.016}));
  EXPECT_FALSE(is_too_short(1e-3, {.wall = 0.05})) << "shuffling takes longer than a few steps";
}

TEST(ReportedTime, MayBeWrongByAStepOfTheClock) {
  EXPECT_NE(why_not_believed(sample_of(0.02), {.wall = 0.01}), "");
  EXPECT_EQ(why_not_believed(sample_of(0.02), {.wall = 0.01, .clock_step = 0.01}), "");
  EXPECT_EQ(why_not_believed(sample_of(0.01), {.wall = 0.025, .clock_step = 0.01}), "");
}

TEST(MoreIterations, GrowUntilTheRequestTells) {
  EXPECT_EQ(telling_request_seconds(120), 1);
  EXPECT_EQ(telling_request_seconds(2), 0.5) << "it must be answered in time";
  EXPECT_EQ(more_iterations(1000, 0.01, 120), 4000);
  EXPECT_EQ(more_iterations(1000, 0.5, 120), 2040);
  EXPECT_EQ(more_iterations(1, 2, 120), 1) << "long enough";
  EXPECT_EQ(more_iterations(1000, 0, 120), 4000) << "the clock stood still";
  EXPECT_EQ(more_iterations(900'000'000, 0.01, 120), 1'000'000'000);
}

TEST(ClockStep, IsSeenInTheTimesOfSamples) {
  EXPECT_DOUBLE_EQ(clock_step_of({0.010, 0.011, 0.010, 0.012, 0.011}), 0.001);
  EXPECT_DOUBLE_EQ(clock_step_of({0.02, 0.01, 0, 0.02, 0.01, 0.03}), 0.01);
  EXPECT_EQ(clock_step_of({0.010, 0.011, 0.010}), 0) << "too few";
  EXPECT_EQ(clock_step_of({0.5, 1, 1.5, 1, 0.5}), 0) << "no clock steps by half a second";
  EXPECT_EQ(clock_step_of({0.01, 0.01, 0.01, 0.01, 0.01}), 0) << "made up";
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> seconds(0.009, 0.011);
  for (int trial = 0; trial < 10'000; ++trial) {
    std::vector<double> totals(8);
    for (double& total : totals) total = std::round(seconds(generator) * 1e9) * 1e-9;
    EXPECT_EQ(clock_step_of(totals), 0) << "nanoseconds";
  }
}

TEST(ClockWarning, IsThereOnce) {
  std::vector<Note> warnings{quoted_note("other")};
  set_clock_warning(warnings, 0, 0);
  EXPECT_THAT(note_texts(warnings), ElementsAre("other"));
  set_clock_warning(warnings, 0, 1);
  set_clock_warning(warnings, 0, 2);
  EXPECT_THAT(note_texts(warnings),
              ElementsAre("other", "the clock jumped in 2 samples, which were taken again"));
  set_clock_warning(warnings, 1e-3, 2);
  EXPECT_THAT(note_texts(warnings), ElementsAre("other", HasSubstr("the clock steps by 1 ms")));
}

}  // namespace
}  // namespace breakeven
