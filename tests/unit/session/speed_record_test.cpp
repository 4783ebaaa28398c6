// Tests the record of the machine's speed with a scripted probe in simulated time.
#include "session/speed_record.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "unit/session/simulated_machine.h"

namespace breakeven {
namespace {

using simulated::Disturbance;
using simulated::ScriptedProbe;
using simulated::SimulatedMachine;

class SpeedRecordTest : public testing::Test {
 protected:
  SpeedRecordTest() {
    machine_.disturbance = [this](double now) {
      return Disturbance{.own_speed = now < disturbed_until_ ? own_speed_ : 1};
    };
  }

  SimulatedMachine machine_;
  double own_speed_ = 1, disturbed_until_ = 1e9;
  SpeedRecord record_{std::make_unique<ScriptedProbe>(machine_), machine_.time};
};

/// Expects that nothing is probed in the current visit, and nothing waited for.
void expect_not_probed(SpeedRecord& record) {
  record.probe();
  record.wait_for_own_speed(1e9, [](double own_speed) { ADD_FAILURE() << own_speed; });
  const RoundSpeed speed = record.probe_after(1);
  EXPECT_FALSE(speed.own_speed);
  EXPECT_EQ(record.by_now(speed.probes), 1);
  EXPECT_EQ(record.stretch(), 0) << "rounds end after one sample";
  EXPECT_EQ(record.waited_seconds(), 0);
  EXPECT_EQ(record.while_waiting(), 1);
  EXPECT_FALSE(record.summary());
}

TEST_F(SpeedRecordTest, IsEmptyWithoutAProbe) {
  SpeedRecord without(nullptr, machine_.time);
  without.begin_visit(true);
  expect_not_probed(without);
  EXPECT_EQ(without.probe_seconds(), 0);
}

TEST_F(SpeedRecordTest, ForgetsTheLatestProbeInAVisitThatIsNotProbed) {
  own_speed_ = 0.5;
  record_.begin_visit(true);
  record_.probe();
  record_.begin_visit(false);
  expect_not_probed(record_);
}

/// The probe runs after the stop, at full speed.
TEST_F(SpeedRecordTest, TimeForWhichAQuotaStoppedTheProgramsIsMissing) {
  record_.begin_visit(true);
  record_.probe();
  const double start = machine_.time.now();
  machine_.time.sleep(0.1);
  machine_.throttled_seconds += 0.08;
  const RoundSpeed stopped = record_.probe_after(1);
  ASSERT_TRUE(stopped.own_speed);
  EXPECT_NEAR(*stopped.own_speed, 1 - 0.08 / (machine_.time.now() - start), 1e-9);
  machine_.time.sleep(0.1);
  EXPECT_EQ(record_.probe_after(1).own_speed, 1.0) << "it was not stopped again";
  machine_.throttled_seconds += 3;  // of several CPUs together
  EXPECT_EQ(record_.probe_after(1).own_speed, 0.0);
}

TEST_F(SpeedRecordTest, RoundsRanAtTheLowerOfTheProbesAroundThem) {
  record_.begin_visit(true);
  record_.probe();
  own_speed_ = 0.8;
  const RoundSpeed slow = record_.probe_after(2);
  EXPECT_EQ(slow.own_speed, 0.8);
  own_speed_ = 1;
  EXPECT_EQ(record_.probe_after(3).own_speed, 0.8);
  EXPECT_EQ(record_.probe_after(1).own_speed, 1.0);
  EXPECT_DOUBLE_EQ(record_.by_now(slow.probes), 0.8);
  const auto summary = record_.summary();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->rounds, 6);
  EXPECT_EQ(summary->slow_rounds, 5);
  EXPECT_EQ(summary->median, 0.8);
}

TEST_F(SpeedRecordTest, ComparesEarlierRoundsWithWhatIsKnownNow) {
  machine_.probe_is_absolute = false;
  own_speed_ = 0.5;
  record_.begin_visit(true);
  record_.probe();
  const RoundSpeed early = record_.probe_after(1);
  EXPECT_EQ(early.own_speed, 1.0) << "the fastest speed so far";
  own_speed_ = 1;
  record_.probe();
  EXPECT_DOUBLE_EQ(record_.by_now(early.probes), 0.5);
}

TEST_F(SpeedRecordTest, JudgesAgainWhatIsBelowTheTrustedSpeed) {
  record_.begin_visit(true);
  const auto probes_at = [&](double own_speed) {
    own_speed_ = own_speed;
    record_.probe();
    return record_.probe_after(1).probes;
  };
  const auto judged_again = [&](double known, const RoundProbes& probes) {
    std::vector<double> own_speed{known};
    const bool is_changed = record_.judge_again(own_speed, {probes});
    EXPECT_EQ(is_changed, own_speed.front() < known);
    return own_speed.front();
  };
  const RoundProbes trusted = probes_at(0.951), slow = probes_at(0.949);
  EXPECT_EQ(judged_again(1, trusted), 1);
  EXPECT_NEAR(judged_again(1, slow), 0.949, 1e-6);
  EXPECT_NEAR(judged_again(0.96, slow), 0.949, 1e-6);
  EXPECT_EQ(judged_again(0.5, slow), 0.5) << "it was known to be slower";
  EXPECT_THAT(judged_again(std::nan(""), slow), testing::IsNan()) << "it was not probed";
  EXPECT_EQ(judged_again(0.96, {}), 0.96);
}

TEST_F(SpeedRecordTest, CalibratesTheProbeOnce) {
  record_.begin_visit(true);
  const double cost = record_.probe_seconds();
  EXPECT_GT(cost, 0);
  record_.begin_visit(true);
  EXPECT_EQ(record_.probe_seconds(), cost);
}

TEST_F(SpeedRecordTest, WaitsUntilTheMachineIsAtItsOwnSpeed) {
  own_speed_ = 0.5;
  disturbed_until_ = machine_.time.now() + 1;
  record_.begin_visit(true);
  record_.probe();
  std::vector<double> reported;
  record_.wait_for_own_speed(1e9, [&](double own_speed) { reported.push_back(own_speed); });
  EXPECT_NEAR(machine_.time.now(), disturbed_until_, 0.02);
  EXPECT_GT(record_.waited_seconds(), 0.9);
  EXPECT_GT(reported.size(), 50U);
  EXPECT_THAT(reported, testing::Each(0.5));
  EXPECT_EQ(record_.while_waiting(), 0.5);
}

TEST_F(SpeedRecordTest, WaitsNoLongerThanItMay) {
  own_speed_ = 0.5;
  record_.begin_visit(true);
  record_.probe();
  record_.wait_for_own_speed(machine_.time.now() + 0.1, [](double) {});
  EXPECT_NEAR(record_.waited_seconds(), 0.1, 0.015);
}

}  // namespace
}  // namespace breakeven
