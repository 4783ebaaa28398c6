#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "session/schedule.h"

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

TEST(IterationsFor, ASampleLastsAsLongAsAsked) {
  EXPECT_EQ(iterations_for(0.01, 1e-3, 1e-3), 10);
  EXPECT_EQ(iterations_for(0.01, 1e-6, 1e-6), 10'000);
  EXPECT_EQ(iterations_for(0.03, 1e-6, 1e-6), 30'000);
  EXPECT_EQ(iterations_for(0.01, 3e-3, 3e-3), 4) << "rounded up";
  EXPECT_EQ(iterations_for(0.01, 60, 60), 1) << "never none";
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

TEST(IterationsFor, TheWholeRequestIsLimitedToo) {
  // Flushing the caches takes 10 ms each time, however short the work.
  EXPECT_EQ(iterations_for(0.01, 1e-6, 1e-2), 20);
}

TEST(IterationsFor, ImpossiblyShortTimesGiveAFiniteNumber) {
  EXPECT_EQ(iterations_for(0.01, std::numeric_limits<double>::min(), 1e-12), 1'000'000'000);
}

TEST(Progress, NothingIsDecidedOnFewSamples) {
  EXPECT_EQ(progress({steady(fewest_samples - 1)}, 0, {}), Progress::more);
  EXPECT_EQ(progress({steady(fewest_samples)}, 0, {}), Progress::precise);
}

TEST(Progress, GoesOnUntilTheIntervalIsNarrow) {
  const Measure measure{.precision = 0.02};
  EXPECT_EQ(progress({alternating(30, 0.05)}, 0, measure), Progress::more);
  EXPECT_EQ(progress({alternating(30, 0.01)}, 0, measure), Progress::precise);
}

TEST(Progress, EndsWithTheTimeOfTheLaunch) {
  const Measure measure{.precision = 0.02, .max_seconds = 3, .launches = 3};
  EXPECT_EQ(progress({alternating(30, 0.5)}, 0.99, measure), Progress::more);
  EXPECT_EQ(progress({alternating(30, 0.5)}, 1.0, measure), Progress::out_of_time);
  EXPECT_EQ(progress({steady(1)}, 1.0, measure), Progress::out_of_time) << "with however few samples";
}

TEST(Progress, EveryLaunchIsMeasuredForItself) {
  const Measure measure{.precision = 0.02, .max_seconds = 3, .launches = 2};
  EXPECT_EQ(progress({steady(30), steady(3)}, 0, measure), Progress::more);
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
  EXPECT_THAT(timing_warnings(summarise({alternating(40, 0.001)}, 1), Progress::precise, {}), IsEmpty());
}

TEST(TimingWarnings, TooFewSamples) {
  EXPECT_THAT(timing_warnings(summarise({steady(3)}, 1), Progress::out_of_time, {}),
              ElementsAre(HasSubstr("only 3 samples in 3 s: too few for an interval")));
}

TEST(TimingWarnings, NotAsPreciseAsAsked) {
  EXPECT_THAT(timing_warnings(summarise({alternating(40, 0.2)}, 1), Progress::out_of_time, {}),
              ElementsAre(HasSubstr("the time limit of 3 s was reached")));
}

TEST(TimingWarnings, DriftUpAndDown) {
  std::vector<double> rising;
  for (int i = 0; i < 40; ++i) rising.push_back(1 + 0.005 * i);
  EXPECT_THAT(timing_warnings(summarise({rising}, 1), Progress::precise, {}),
              ElementsAre(HasSubstr("drifted by +")));
  std::reverse(rising.begin(), rising.end());
  EXPECT_THAT(timing_warnings(summarise({rising}, 1), Progress::precise, {}),
              ElementsAre(HasSubstr("drifted by -")));
}

TEST(TimingWarnings, ADriftWithinThePrecisionIsNone) {
  std::vector<double> rising;
  for (int i = 0; i < 40; ++i) rising.push_back(1 + 0.0001 * i);
  EXPECT_THAT(timing_warnings(summarise({rising}, 1), Progress::precise, {}), IsEmpty());
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
  EXPECT_THAT(timing_warnings(summarise({alternating(20, 0.001), steady(20, 1.1)}, 1), Progress::precise, {}),
              IsEmpty());
}

TEST(ConditionWarnings, SayWhatDisturbed) {
  EXPECT_THAT(condition_warnings({}), IsEmpty()) << "unknown is not disturbed";
  Conditions quiet;
  quiet.other_cpu_percent = 1;
  quiet.steal_percent = 0;
  quiet.throttled_seconds = 0;
  quiet.thermal_throttles = 0;
  EXPECT_THAT(condition_warnings(quiet), IsEmpty());
  Conditions loud;
  loud.other_cpu_percent = 50;
  loud.steal_percent = 10;
  loud.throttled_seconds = 0.5;
  loud.thermal_throttles = 2;
  EXPECT_THAT(condition_warnings(loud),
              ElementsAre(HasSubstr("other processes used 50 %"), HasSubstr("hypervisor took 10 %"),
                          HasSubstr("quota stopped the run for 0.5 s"), HasSubstr("heat")));
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
  double sum = 0;  // of the whole entries, which must be those of the steps they stand for
  const auto full = static_cast<std::size_t>(whole.steps / whole.loss_stride);
  for (std::size_t i = 0; i < full; ++i) sum += whole.loss[i] * static_cast<double>(whole.loss_stride);
  double direct = 0;
  for (std::size_t i = 0; i < full * static_cast<std::size_t>(whole.loss_stride); ++i) direct += losses[i];
  EXPECT_NEAR(sum, direct, 1e-9);
}

}  // namespace
}  // namespace breakeven
