#include "host/own_speed.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace breakeven {
namespace {

using ::testing::HasSubstr;

constexpr double clock_seconds = 10e-6;
constexpr double full_ratio = 4;

/// How much slower than undisturbed each part of a probe is.
struct Slowdown {
  double throughput = 1;
  double l2 = 1;
  double memory = 1;
  double clock = 1;
  double cpu_share = 1;
};

CpuSpeedTimes cpu_times(int cpu, const Slowdown& slow = {}) {
  CpuSpeedTimes times;
  times.cpu = cpu;
  times.clock_seconds = clock_seconds * slow.clock;
  times.throughput_seconds = full_ratio * clock_seconds * slow.throughput * slow.clock;
  times.l2_seconds = 8e-6 * slow.l2 * slow.clock;
  times.memory_seconds = 250e-6 * slow.memory;
  times.cpu_share = slow.cpu_share;
  return times;
}

SpeedProbeTimes both(const Slowdown& first, const Slowdown& second) {
  return {{cpu_times(0, first), cpu_times(1, second)}};
}

FullThroughput known() {
  return {full_ratio, ""};
}

FullThroughput unknown() {
  return {std::nullopt, "this processor's throughput is not known"};
}

OwnSpeed calibrated(const Slowdown& alone = {}, const Slowdown& together = {}, int times = 5,
                    const FullThroughput& full = known()) {
  OwnSpeed own(full);
  for (int i = 0; i < times; ++i) {
    for (int cpu = 0; cpu < 2; ++cpu)
      own.note_calibration(cpu_times(cpu, alone), cpu_times(cpu, together), cpu_times(cpu, alone));
    own.note(both(together, together));
  }
  return own;
}

void note(OwnSpeed& own, const SpeedProbeTimes& times, int count) {
  for (int i = 0; i < count; ++i) own.note(times);
}

TEST(OwnSpeedTest, QuietMachineRunsAtItsFullSpeed) {
  OwnSpeed own = calibrated();
  note(own, both({}, {}), 100);
  EXPECT_GT(own.share_of(both({}, {})).share, 0.99);
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::absolute);
  EXPECT_EQ(own.reference().why, "");
  EXPECT_NEAR(own.reference().best_share_alone.value(), 1, 0.005);
}

TEST(OwnSpeedTest, ABurstShowsItsPartAndItsCpu) {
  const OwnSpeed own = calibrated();
  const SpeedShare throughput = own.share_of(both({}, {.throughput = 1.9, .l2 = 1.25}));
  EXPECT_NEAR(throughput.share, 1 / 1.9, 0.01);
  EXPECT_EQ(throughput.least, SpeedPart::throughput);
  EXPECT_EQ(throughput.cpu, 1);
  EXPECT_EQ(own.share_of(both({.l2 = 1.4}, {})).least, SpeedPart::l2);
  EXPECT_EQ(own.share_of(both({.memory = 1.4}, {})).least, SpeedPart::memory);
  EXPECT_EQ(own.share_of(both({.clock = 1.4}, {})).least, SpeedPart::clock);
  const SpeedShare cpu_time = own.share_of(both({.cpu_share = 0.5}, {}));
  EXPECT_EQ(cpu_time.least, SpeedPart::cpu_time);
  EXPECT_DOUBLE_EQ(cpu_time.share, 0.5);
}

TEST(OwnSpeedTest, OfTwoProbesEachCpusFasterOneCounts) {
  const OwnSpeed own = calibrated();
  const SpeedProbeTimes fastest =
      own.fastest_of(both({.throughput = 1.5}, {}), both({}, {.throughput = 1.5}));  // an interrupt each
  EXPECT_GT(own.share_of(fastest).share, 0.99);
  const SpeedProbeTimes slow = own.fastest_of(both({.throughput = 1.5}, {}), both({.throughput = 1.3}, {}));
  EXPECT_NEAR(own.share_of(slow).share, 1 / 1.3, 0.01);
}

TEST(OwnSpeedTest, ANeighbourOfTheWholeSessionIsSeenWhereTheProcessorIsKnown) {
  OwnSpeed own = calibrated({.throughput = 1.8}, {.throughput = 1.8});
  note(own, both({.throughput = 1.8}, {.throughput = 1.8}), 1000);
  EXPECT_NEAR(own.share_of(both({.throughput = 1.8}, {.throughput = 1.8})).share, 1 / 1.8, 0.01);
  const SpeedReference reference = own.reference();
  EXPECT_EQ(reference.kind, SpeedReferenceKind::never_full);
  EXPECT_THAT(reference.why, HasSubstr("at most at 56 %"));
  EXPECT_NEAR(reference.best_share_alone.value(), 1 / 1.8, 0.01);
}

TEST(OwnSpeedTest, ANeighbourOfTheWholeSessionIsNotSeenWhereTheProcessorIsNotKnown) {
  OwnSpeed own = calibrated({.throughput = 1.8}, {.throughput = 1.8}, 5, unknown());
  note(own, both({.throughput = 1.8}, {.throughput = 1.8}), 100);
  EXPECT_GT(own.share_of(both({.throughput = 1.8}, {.throughput = 1.8})).share, 0.99);
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::session_best);
  EXPECT_EQ(own.reference().why, "this processor's throughput is not known");
}

TEST(OwnSpeedTest, ANeighbourThatLeavesMakesEarlierProbesSlow) {
  OwnSpeed own(unknown());
  const SpeedProbeTimes early = both({.throughput = 1.8}, {});
  note(own, early, 50);
  EXPECT_GT(own.share_of(early).share, 0.99);
  note(own, both({}, {}), 50);
  EXPECT_LT(own.share_of(early).share, 0.6);
}

TEST(OwnSpeedTest, TheFullSpeedOfOneRareMomentIsEnough) {
  OwnSpeed own = calibrated({.throughput = 1.8}, {.throughput = 1.8});
  note(own, both({.throughput = 1.8}, {.throughput = 1.8}), 1000);
  note(own, both({}, {}), 3);
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::absolute);
}

TEST(OwnSpeedTest, CpusThatShareACoreAreTheMachinesOwnState) {
  OwnSpeed own = calibrated({}, {.throughput = 2});
  note(own, both({.throughput = 2}, {.throughput = 2}), 100);
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::absolute);
  EXPECT_GT(own.share_of(both({.throughput = 2}, {.throughput = 2})).share, 0.99);
  EXPECT_LT(own.share_of(both({.throughput = 2}, {.throughput = 3})).share, 0.7);
}

TEST(OwnSpeedTest, TwoSlowCalibrationsAreNoSharedCore) {
  const OwnSpeed own = calibrated({}, {.throughput = 2}, 2);
  EXPECT_NEAR(own.share_of(both({.throughput = 2}, {})).share, 0.5, 0.01);
}

TEST(OwnSpeedTest, OnceFastTogetherCpusShareNoCore) {
  OwnSpeed own = calibrated({}, {.throughput = 2});
  note(own, both({}, {}), 3);
  EXPECT_NEAR(own.share_of(both({.throughput = 2}, {})).share, 0.5, 0.01);
}

TEST(OwnSpeedTest, AClockThatFallsFromItsTurboIsSlowForAMomentOnly) {
  OwnSpeed own = calibrated({.clock = 0.8}, {.clock = 0.8});
  note(own, both({.clock = 0.8}, {.clock = 0.8}), 20);
  const SpeedProbeTimes settled = both({}, {});
  own.note(settled);
  EXPECT_EQ(own.share_of(settled).least, SpeedPart::clock);
  EXPECT_NEAR(own.share_of(settled).share, 0.8, 0.01);
  note(own, settled, 40);
  EXPECT_GT(own.share_of(settled).share, 0.99);
}

TEST(OwnSpeedTest, CpusOfUnlikeClocksHaveReferencesOfTheirOwn) {
  OwnSpeed own(known());
  note(own, both({}, {.l2 = 1.5, .memory = 2, .clock = 1.6}), 50);
  EXPECT_GT(own.share_of(both({}, {.l2 = 1.5, .memory = 2, .clock = 1.6})).share, 0.99);
}

TEST(OwnSpeedTest, OneTimeThatIsTooShortDoesNotSetTheReference) {
  OwnSpeed own(unknown());
  note(own, both({}, {}), 20);
  own.note(both({.throughput = 0.5, .l2 = 0.5, .memory = 0.5}, {}));
  own.note(both({.throughput = 0.5, .l2 = 0.5, .memory = 0.5}, {}));
  EXPECT_GT(own.share_of(both({}, {})).share, 0.99);
}

TEST(OwnSpeedTest, ThreeProbesOfManyThousandAreNoReference) {
  OwnSpeed own(unknown());
  note(own, both({}, {}), 1000);
  note(own, both({.throughput = 0.9, .l2 = 0.9}, {}), 3);
  EXPECT_GT(own.share_of(both({}, {})).share, 0.99);
}

TEST(OwnSpeedTest, AProbeDuringWhichAnotherProgramRanIsNoReference) {
  OwnSpeed own(unknown());
  note(own, both({.throughput = 0.5, .l2 = 0.5, .clock = 2, .cpu_share = 0.5}, {}), 50);
  note(own, both({}, {}), 50);
  EXPECT_GT(own.share_of(both({}, {})).share, 0.99);
}

TEST(OwnSpeedTest, MemoryIsComparedWithTheFasterQuarter) {
  OwnSpeed own(known());
  for (int i = 0; i < 100; ++i) own.note(both({.memory = 1 + 0.0012 * i}, {}));
  EXPECT_NEAR(own.share_of(both({.memory = 1.12}, {})).share, 1.03 / 1.12, 0.005);
}

TEST(OwnSpeedTest, AnEmulatorIsNotTakenForANeighbour) {
  const OwnSpeed own = calibrated({.throughput = 20}, {.throughput = 20});
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::session_best);
  EXPECT_THAT(own.reference().why, HasSubstr("emulator"));
  EXPECT_GT(own.share_of(both({.throughput = 20}, {.throughput = 20})).share, 0.99);
}

TEST(OwnSpeedTest, ACoreWithMoreUnitsThanKnownIsComparedWithItself) {
  const OwnSpeed own = calibrated({.throughput = 2.0 / 3}, {.throughput = 2.0 / 3});
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::session_best);
  EXPECT_LT(own.share_of(both({}, {})).share, 0.7);
}

TEST(OwnSpeedTest, BeforeTheFirstProbeNothingIsKnown) {
  const OwnSpeed own(known());
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::session_best);
  EXPECT_EQ(own.reference().why, "the probe has not been calibrated");
  EXPECT_DOUBLE_EQ(own.share_of(both({}, {})).share, 1);
  EXPECT_DOUBLE_EQ(own.share_of(SpeedProbeTimes{}).share, 1);
}

TEST(OwnSpeedTest, BrokenTimesChangeNothing) {
  OwnSpeed own = calibrated();
  own.note({{CpuSpeedTimes{}, CpuSpeedTimes{}}});
  EXPECT_GT(own.share_of(both({}, {})).share, 0.99);
  EXPECT_EQ(own.reference().kind, SpeedReferenceKind::absolute);
}

TEST(SlowestParts, AreOfTheCpuWhereEachTookLongest) {
  SpeedProbeTimes times = both({.l2 = 2}, {.throughput = 1.5, .memory = 3});
  times.core_to_core_seconds = 25e-9;
  const PartTimes slowest = slowest_parts(times);
  EXPECT_THAT(slowest.seconds, testing::ElementsAre(testing::Pair("clock", testing::DoubleEq(10e-6)),
                                                    testing::Pair("core_to_core", testing::DoubleEq(25e-9)),
                                                    testing::Pair("l2", testing::DoubleEq(16e-6)),
                                                    testing::Pair("memory", testing::DoubleEq(750e-6)),
                                                    testing::Pair("throughput", testing::DoubleEq(60e-6))));
  EXPECT_FALSE(slowest.instructions_per_cycle);
}

TEST(SlowestParts, ArithmeticTakesTwiceAsLongOnHalfACpu) {
  const auto all = slowest_parts(both({}, {})).seconds;
  auto half = slowest_parts(both({}, {.cpu_share = 0.5})).seconds;
  EXPECT_DOUBLE_EQ(half.at("throughput"), 2 * all.at("throughput"));
  half["throughput"] = all.at("throughput");
  EXPECT_EQ(half, all) << "no other part";
}

TEST(SlowestParts, LeaveOutWhatWasNotMeasured) {
  EXPECT_THAT(slowest_parts({{CpuSpeedTimes{}}}).seconds, testing::IsEmpty());
  EXPECT_EQ(slowest_parts({{cpu_times(0, {.cpu_share = 0})}}).seconds.count("throughput"), 0U);
}

TEST(SlowestParts, CountInstructionsOfTheSlowestCpu) {
  SpeedProbeTimes times = both({}, {});
  times.cpus[0].counters = SpeedCounters{.cycles = 1000, .instructions = 1800};
  EXPECT_DOUBLE_EQ(slowest_parts(times).instructions_per_cycle.value(), 1.8);
  times.cpus[1].counters = SpeedCounters{.cycles = 1000, .instructions = 900};
  EXPECT_DOUBLE_EQ(slowest_parts(times).instructions_per_cycle.value(), 0.9);
  times.cpus[1].counters = SpeedCounters{};
  EXPECT_DOUBLE_EQ(slowest_parts(times).instructions_per_cycle.value(), 1.8) << "it counted no cycles";
}

TEST(OwnSpeedTest, EveryPartHasAName) {
  EXPECT_EQ(part_title("throughput"), "arithmetic");
  EXPECT_EQ(part_title("core_to_core"), "core-to-core latency");
  EXPECT_EQ(part_title("memory"), "memory");
}

}  // namespace
}  // namespace breakeven
