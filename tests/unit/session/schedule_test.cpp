#include "session/schedule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/words/notes.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<double> steady(std::size_t count, double value = 1) {
  return std::vector<double>(count, value);
}
/// Around 1, by `size` up and down in turn.
std::vector<double> alternating(std::size_t count, double size) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(i % 2 == 0 ? 1 + size : 1 - size);
  return samples;
}

TEST(ThreadCounts, AreOneFewerHalfAndTheFastCores) {
  EXPECT_THAT(fewer_threads(16, 16), ElementsAre(15, 8));
  EXPECT_THAT(fewer_threads(24, 8), ElementsAre(23, 12, 8));
  EXPECT_THAT(fewer_threads(2, 2), ElementsAre(1));
  EXPECT_THAT(fewer_threads(3, 0), ElementsAre(2, 1));
  EXPECT_THAT(fewer_threads(1, 1), IsEmpty());
}

TEST(IterationsFor, ASampleLastsAsLongAsAskedWithinTheLimitOfTheWholeRequest) {
  EXPECT_EQ(iterations_for(0.01, 1e-3, 1e-3), 10);
  EXPECT_EQ(iterations_for(0.01, 1e-6, 1e-6), 10'000);
  EXPECT_EQ(iterations_for(0.03, 1e-6, 1e-6), 30'000);
  EXPECT_EQ(iterations_for(0.01, 3e-3, 3e-3), 4) << "rounded up";
  EXPECT_EQ(iterations_for(0.01, 60, 60), 1) << "never none";
  EXPECT_EQ(iterations_for(0.01, 1e-6, 1e-2), 20) << "flushing the caches takes 10 ms each time";
  EXPECT_EQ(iterations_for(0.01, std::numeric_limits<double>::min(), 1e-12), 1'000'000'000);
}

TEST(SampleLength, IsTenMillisecondsWhereTurnsAreCheap) {
  EXPECT_DOUBLE_EQ(sample_length({}), 0.010);
  EXPECT_DOUBLE_EQ(sample_length(steady(9, 0.0003)), 0.010);
}

TEST(SampleLength, KeepsTheCostOfTurnsAtAFewPercent) {
  EXPECT_DOUBLE_EQ(sample_length(steady(9, 0.00075)), 0.025);
  EXPECT_DOUBLE_EQ(sample_length({0.00075, 0.00075, 5.0}), 0.025) << "one that was held up says nothing";
  EXPECT_DOUBLE_EQ(sample_length(steady(9, 0.1)), 0.050) << "but many must fit into a case's time";
}

TEST(StretchSeconds, KeepProbesAtAFewPercent) {
  EXPECT_EQ(stretch_seconds(0), 0) << "a probe after every round";
  EXPECT_DOUBLE_EQ(stretch_seconds(0.00066), 0.030);
  EXPECT_DOUBLE_EQ(stretch_seconds(0.1), 0.200) << "what changes in between would not be seen";
}

TEST(PairedIterations, AreEquallyManyWhereTimesAreAlike) {
  EXPECT_EQ(paired_iterations(100, 100, 1e-4), 100);
  EXPECT_EQ(paired_iterations(90, 100, 1e-4), 100);
  EXPECT_EQ(paired_iterations(25, 100, 1e-4), 100);
}

TEST(ExtraWork, IsMetWithinTwoPercentOfIt) {
  EXPECT_EQ(whole_iterations(7, 0), 7);
  EXPECT_EQ(iterations_to_run(7, 0), 7);
  EXPECT_EQ(whole_iterations(1, 0.05), 20);
  EXPECT_EQ(iterations_to_run(20, 0.05), 21);
  EXPECT_EQ(whole_iterations(1, 4), 1);
  for (const double share : {0.001, 0.02, 0.0501, 0.067, 0.1, 0.3, 0.334, 0.7, 1.0, 1.5, 2.5, 10.0}) {
    for (const std::int64_t from : {1, 3, 10, 19, 20, 21, 57, 1000, 123457}) {
      const std::int64_t counted = whole_iterations(from, share);
      EXPECT_GE(counted, from);
      EXPECT_LE(counted, from + std::llround(1 / share) + 60) << share;
      EXPECT_EQ(whole_iterations(counted, share), counted) << "again";
      const double further = static_cast<double>(iterations_to_run(counted, share) - counted);
      EXPECT_NEAR(further / static_cast<double>(counted), share, 0.02 * share + 1e-12);
    }
  }
}

TEST(PairedIterations, NeverMakeTheSamplesOfTheSlowerSideLast) {
  EXPECT_EQ(paired_iterations(24, 100, 1e-4), 24);
  EXPECT_EQ(paired_iterations(1, 10'000, 5e-3), 1) << "a call of 5 ms would be made for 50 s";
  EXPECT_EQ(paired_iterations(1, 4, 35), 1) << "a call of 35 s would not be answered in time";
  EXPECT_EQ(paired_iterations(4, 10, 0.04), 4) << "caches are flushed before each call";
}

TEST(Progress, NothingIsDecidedOnFewSamples) {
  EXPECT_EQ(progress({steady(fewest_samples - 1)}, 0, 0.02, 3), Progress::more);
  EXPECT_EQ(progress({steady(fewest_samples)}, 0, 0.02, 3), Progress::precise);
}

TEST(Progress, GoesOnUntilTheIntervalIsNarrow) {
  EXPECT_EQ(progress({alternating(30, 0.05)}, 0, 0.02, 3), Progress::more);
  EXPECT_EQ(progress({alternating(30, 0.01)}, 0, 0.02, 3), Progress::precise);
}

TEST(Progress, EndsWithTheTimeOfTheVisit) {
  EXPECT_EQ(progress({alternating(30, 0.5)}, 0.99, 0.02, 1), Progress::more);
  EXPECT_EQ(progress({alternating(30, 0.5)}, 1.0, 0.02, 1), Progress::out_of_time);
  EXPECT_EQ(progress({steady(1)}, 1.0, 0.02, 1), Progress::out_of_time) << "with however few samples";
}

TEST(Progress, EveryVisitIsMeasuredForItself) {
  EXPECT_EQ(progress({steady(30), steady(3)}, 0, 0.02, 1.5), Progress::more);
}

TEST(IsWarm, NotBeforeATenthOfTheTimeNorLongerThanAQuarter) {
  EXPECT_FALSE(is_warm({.samples = steady(30), .spent = 0.14}, 1.5));
  EXPECT_TRUE(is_warm({.samples = steady(30), .spent = 0.151}, 1.5));
  EXPECT_TRUE(is_warm({.samples = steady(30), .spent = 0.25}, 60)) << "a quarter second is enough";
  EXPECT_TRUE(is_warm({.samples = {4, 3, 2, 1}, .spent = 0.4}, 1.5)) << "too few to be seen to move";
}

TEST(IsWarm, NotWhileTimesFallOrRise) {
  std::vector<double> falling, rising;
  for (int i = 0; i < 12; ++i) {
    falling.push_back(1.2 - 0.01 * i);
    rising.push_back(1 + 0.01 * i);
  }
  EXPECT_FALSE(is_warm({.samples = falling, .spent = 0.2}, 1.5));
  EXPECT_FALSE(is_warm({.samples = rising, .spent = 0.2}, 1.5));
  EXPECT_TRUE(is_warm({.samples = falling, .spent = 0.375}, 1.5)) << "but not for ever";
  EXPECT_TRUE(is_warm({.samples = alternating(12, 0.05), .spent = 0.2}, 1.5)) << "noise is no trend";
  std::vector<double> hardly;
  for (int i = 0; i < 12; ++i) hardly.push_back(1 - 0.0005 * i);
  EXPECT_TRUE(is_warm({.samples = hardly, .spent = 0.2}, 1.5))
      << "less than half a percent matters to nobody";
}

TEST(RandomOrder, IsAPermutationThatChanges) {
  std::mt19937_64 generator(1);
  std::vector<std::vector<std::size_t>> orders;
  for (int i = 0; i < 100; ++i) orders.push_back(random_order(3, generator));
  for (auto order : orders) {
    std::sort(order.begin(), order.end());
    EXPECT_THAT(order, ElementsAre(0, 1, 2));
  }
  std::sort(orders.begin(), orders.end());
  EXPECT_EQ(std::unique(orders.begin(), orders.end()) - orders.begin(), 6) << "all orders there are";
}

TEST(Summarise, JoinsLaunchesInOrder) {
  const Timing timing = summarise({{3, 1, 2}, {4, 5}}, 7);
  EXPECT_THAT(timing.samples, ElementsAre(3, 1, 2, 4, 5));
  EXPECT_THAT(timing.launches, ElementsAre(3, 2));
  EXPECT_EQ(timing.median, 3);
  EXPECT_EQ(timing.iterations, 7);
}

TEST(TimingWarnings, NoneOfASteadyCase) {
  EXPECT_THAT(note_texts(timing_warnings(summarise({alternating(40, 0.001)}, 1), Progress::precise, {})),
              IsEmpty());
}

TEST(TimingWarnings, TooFewSamples) {
  EXPECT_THAT(note_texts(timing_warnings(summarise({steady(3)}, 1), Progress::out_of_time, {})),
              ElementsAre(HasSubstr("only 3 samples in 3 s: too few for an interval")));
  EXPECT_THAT(note_texts(timing_warnings(summarise({steady(1)}, 1), Progress::out_of_time, {})),
              ElementsAre(HasSubstr("only 1 sample in 3 s: too few for an interval")));
}

TEST(TimingWarnings, NotAsPreciseAsAsked) {
  EXPECT_THAT(note_texts(timing_warnings(summarise({alternating(40, 0.2)}, 1), Progress::out_of_time, {})),
              ElementsAre(HasSubstr("the time limit of 3 s was reached")));
}

TEST(TimingWarnings, DriftUpAndDown) {
  std::vector<double> rising;
  for (int i = 0; i < 40; ++i) rising.push_back(1 + 0.005 * i);
  EXPECT_THAT(note_texts(timing_warnings(summarise({rising}, 1), Progress::precise, {})),
              ElementsAre(HasSubstr("drifted by +")));
  std::reverse(rising.begin(), rising.end());
  EXPECT_THAT(note_texts(timing_warnings(summarise({rising}, 1), Progress::precise, {})),
              ElementsAre(HasSubstr("drifted by -")));
}

TEST(TimingWarnings, ADriftWithinThePrecisionIsNone) {
  std::vector<double> rising;
  for (int i = 0; i < 40; ++i) rising.push_back(1 + 0.0001 * i);
  EXPECT_THAT(note_texts(timing_warnings(summarise({rising}, 1), Progress::precise, {})), IsEmpty());
}

/// At the level stated, noise alone is called drift once in a thousand cases.
TEST(TimingWarnings, NoiseIsRarelyADrift) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal(1, 0.1);
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> samples(40);
    std::generate(samples.begin(), samples.end(), [&] { return normal(generator); });
    alarms += timing_warnings(summarise({samples}, 1), Progress::precise, {}).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 6);
}

TEST(TimingWarnings, LaunchesThatDifferAreNoDrift) {
  EXPECT_THAT(note_texts(timing_warnings(summarise({alternating(20, 0.001), steady(20, 1.1)}, 1),
                                         Progress::precise, {})),
              IsEmpty());
}

TEST(ConditionWarnings, SayWhatDisturbed) {
  EXPECT_THAT(note_texts(condition_warnings({})), IsEmpty()) << "unknown is not disturbed";
  Conditions quiet;
  quiet.other_cpu_percent = 1;
  quiet.steal_percent = 0;
  quiet.throttled_seconds = 0;
  quiet.thermal_throttles = 0;
  EXPECT_THAT(note_texts(condition_warnings(quiet)), IsEmpty());
  Conditions loud;
  loud.other_cpu_percent = 50;
  loud.steal_percent = 10;
  loud.throttled_seconds = 0.5;
  loud.thermal_throttles = 2;
  EXPECT_THAT(note_texts(condition_warnings(loud)),
              ElementsAre(HasSubstr("other processes used 50 %"), HasSubstr("hypervisor took 10 %"),
                          HasSubstr("quota stopped the run for 0.5 s"), HasSubstr("heat")));
}

TEST(ConditionWarnings, SayWhatDisturbedAGpu) {
  Conditions c;
  c.device.emplace();
  EXPECT_THAT(note_texts(condition_warnings(c)), IsEmpty()) << "unknown is not disturbed";
  c.device->other_processes = 0;
  c.device->ecc_errors = 0;
  EXPECT_THAT(note_texts(condition_warnings(c)), IsEmpty());
  c.device->other_processes = 2;
  c.device->ecc_errors = 3;
  EXPECT_THAT(note_texts(condition_warnings(c)),
              ElementsAre(HasSubstr("on the GPU: 2"), HasSubstr("not corrected: 3")));
}

TEST(ThrottleCauses, AreHeatAndPowerAlone) {
  EXPECT_THAT(throttle_causes(0, {}, 1), IsEmpty());
  EXPECT_THAT(throttle_causes(0x1 | 0x2 | 0x10 | 0x100, {}, 1), IsEmpty()) << "idle, or as somebody set it";
  EXPECT_THAT(throttle_causes(0x4 | 0x8 | 0x20 | 0x40 | 0x80 | 0x1, {}, 1),
              ElementsAre("power cap", "hardware slowdown", "thermal slowdown", "hardware thermal slowdown",
                          "hardware power brake"));
  EXPECT_THAT(throttle_causes(0x400, {}, 1), IsEmpty()) << "what is not known is no alarm";
}

TEST(ThrottleCauses, AreCountersThatMovedNoticeably) {
  EXPECT_THAT(throttle_causes(0, {{"power", 0}, {"thermal", 1e-5}}, 0.01), IsEmpty());
  EXPECT_THAT(throttle_causes(0, {{"power", 2e-4}, {"thermal", 0}}, 0.01), ElementsAre("power limit"));
  EXPECT_THAT(throttle_causes(0x4, {{"board", 1}}, 0.01), ElementsAre("power cap", "board limit"));
}

TEST(NamesOf, TellUnknownReasonsByNumber) {
  EXPECT_THAT(names_of(0), IsEmpty());
  EXPECT_THAT(names_of(0x5), ElementsAre("gpu idle", "power cap"));
  EXPECT_THAT(names_of(0x401), ElementsAre("gpu idle", "reason 0x400"));
}

/// The state after `count` throttled samples in a row, with all requested pauses taken.
Throttling throttled(int count, const Measure& measure) {
  Throttling t;
  for (int i = 0; i < count; ++i) {
    t.note(i, {"power cap"});
    t.rested += rest_seconds(t, measure);
  }
  return t;
}

TEST(RestSeconds, GrowAndEnd) {
  const Measure measure{.max_seconds = 10};
  EXPECT_EQ(rest_seconds({}, measure), 0) << "nothing is throttled";
  EXPECT_DOUBLE_EQ(throttled(1, measure).rested, 0.1);
  EXPECT_DOUBLE_EQ(throttled(2, measure).rested, 0.3);
  EXPECT_DOUBLE_EQ(throttled(3, measure).rested, 0.7);
  EXPECT_DOUBLE_EQ(throttled(100, measure).rested, 0.7) << "it is how the GPU runs this";
  EXPECT_FALSE(throttled(3, measure).steady());
  EXPECT_TRUE(throttled(4, measure).steady());
}

TEST(RestSeconds, TakeAQuarterOfTheCasesTimeAtMost) {
  for (const double seconds : {0.5, 1.0, 3.0}) {
    for (const int launches : {1, 3}) {
      const Measure measure{.max_seconds = seconds, .launches = launches};
      Throttling t;
      for (int i = 0; i < 1000; ++i) {  // each time in vain once, and then well
        t.note(i, {"power cap"});
        t.rested += rest_seconds(t, measure);
        t.in_a_row = 0;
      }
      EXPECT_LE(t.rested, 0.25 * seconds / launches + 1e-9) << seconds << ' ' << launches;
      EXPECT_GT(t.rested, 0.1 * seconds / launches);
    }
  }
}

/// A throttled sample does not count, until throttling turns out to be permanent.
TEST(DecidingSamples, AreAllOnceThrottlingIsSteady) {
  const std::vector<std::vector<double>> launches{steady(4)};
  EXPECT_EQ(deciding_samples(launches, throttled(3, {}), {}).front().size(), 1U);
  EXPECT_EQ(deciding_samples(launches, throttled(4, {}), {}).front().size(), 4U);
}

TEST(Summarise, TakesFiguresFromTheSamplesThatCount) {
  std::vector<double> samples = steady(12, 1);
  samples[3] = samples[7] = 9;
  const Timing timing = summarise({samples}, 5, {3, 7});
  EXPECT_EQ(timing.median, 1);
  EXPECT_EQ(timing.ci_high, 1);
  EXPECT_EQ(timing.samples, samples) << "all are kept";
  EXPECT_THAT(timing.launches, ElementsAre(12));
  EXPECT_THAT(timing.throttled, ElementsAre(3, 7));
  const Timing few = summarise({{1, 9, 9, 9}}, 5, {1, 2, 3});
  EXPECT_EQ(few.median, 9) << "one is too few";
}

TEST(ThrottlingWarnings, SayHowManyAndWhy) {
  std::vector<double> seconds(40, 2e-3);
  EXPECT_FALSE(throttling_warning({}, {}, seconds));
  Throttling t;
  t.note(0, {"power cap"});
  t.note(5, {"power cap", "thermal slowdown"});
  seconds[0] = 2.4e-3;
  seconds[5] = 2.6e-3;
  EXPECT_EQ(note_text(throttling_warning(t, {}, seconds).value()),
            "the GPU lowered its clocks in 2 of 40 samples (power cap, thermal slowdown): figures are of the "
            "others; with lowered clocks it took 1.25x as long");
  seconds.resize(11);
  EXPECT_EQ(throttling_warning(t, {}, seconds).value().kind, NoteKind::gpu_clocks_counted);
  // 24 samples: 2 were throttled, and 13 others slow. Nine are left.
  std::vector<double> own_speed(24, 1.0);
  std::fill(own_speed.end() - 13, own_speed.end(), 0.6);
  EXPECT_EQ(throttling_warning(t, own_speed, std::vector<double>(24, 1e-3)).value().kind,
            NoteKind::gpu_clocks_counted);
  EXPECT_THAT(note_text(own_speed_warning(own_speed, t).value()),
              HasSubstr("60 % of its own speed in 13 of 24 samples"));
  EXPECT_FALSE(own_speed_warning(own_speed, {})) << "eleven are left";
}

TEST(EnergyIterations, LastAsLongAsAskedAndAtLeastOnce) {
  EXPECT_EQ(energy_iterations(2, 1e-3), 2000);
  EXPECT_EQ(energy_iterations(2, 0.3), 7);
  EXPECT_EQ(energy_iterations(2, 60), 1);
  EXPECT_EQ(energy_iterations(2, std::numeric_limits<double>::min()), 1'000'000'000);
}

TEST(AddLosses, KeepsFewAsTheyAre) {
  Training training;
  add_losses(training, {3, 2});
  add_losses(training, {1});
  EXPECT_THAT(training.loss, ElementsAre(3, 2, 1));
  EXPECT_EQ(training.steps, 3);
  EXPECT_EQ(training.loss_stride, 1);
}

TEST(AddLosses, HalvesWhereThereAreMany) {
  Training training;
  add_losses(training, {8, 6, 4, 2, 7, 5, 1}, 4);
  EXPECT_EQ(training.loss_stride, 2);
  EXPECT_EQ(training.steps, 7);
  EXPECT_THAT(training.loss, ElementsAre(7, 3, 6, 1)) << "means of two, the last of one so far";
}

TEST(AddLosses, IsTheSameInPieces) {
  std::vector<double> losses;
  for (int i = 0; i < 1000; ++i) losses.push_back(std::sin(i));
  Training whole;
  add_losses(whole, losses, 16);
  Training pieces;
  for (const double loss : losses) add_losses(pieces, {loss}, 16);
  EXPECT_EQ(whole.loss, pieces.loss);
  EXPECT_LE(whole.loss.size(), 16U);
  EXPECT_EQ(whole.steps, 1000);
  double sum = 0;  // of the whole entries, which must equal that of the steps
  const auto full = static_cast<std::size_t>(whole.steps / whole.loss_stride);
  for (std::size_t i = 0; i < full; ++i) sum += whole.loss[i] * static_cast<double>(whole.loss_stride);
  double direct = 0;
  for (std::size_t i = 0; i < full * static_cast<std::size_t>(whole.loss_stride); ++i) direct += losses[i];
  EXPECT_NEAR(sum, direct, 1e-9);
}

}  // namespace
}  // namespace breakeven
