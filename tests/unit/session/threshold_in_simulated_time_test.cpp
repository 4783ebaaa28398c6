// `threshold` on a machine that is disturbed, and with programs that fail: scripted programs, a
// scripted probe and a scripted GPU, in simulated time. The programs' times cross where it is planted.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "reports/words/notes.h"
#include "reports/words/threshold_words.h"
#include "session/threshold.h"
#include "session/worker_process.h"
#include "statistics/summary.h"
#include "unit/session/simulated_machine.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

namespace breakeven {
namespace {

using simulated::Disturbance;
using simulated::SimulatedMachine;
using simulated::WrongAnswer;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

constexpr const char* cpu_program = "/cpu/scripted";
constexpr const char* gpu_program = "/gpu/scripted";

class ThresholdInSimulatedTime : public testing::Test {
 protected:
  static constexpr double planted = 384;
  /// The seconds of a call. A launch then has time for two rounds, and each of them counts.
  static constexpr double long_work = 0.25;

  /// A machine whose GPU is faster from the planted size: it has a fixed cost, and a tenth of the cost of
  /// each operation.
  struct Machine : SimulatedMachine {
    explicit Machine(std::uint64_t seed, double fixed = 1e-4) : SimulatedMachine(seed) {
      const double each = fixed / 0.9 / std::pow(planted, 3);
      const auto operations = [](const Case& problem) {
        return std::pow(static_cast<double>(problem.parameters.integer("m")), 3);
      };
      programs["/reference"] = {};
      programs[cpu_program].cost = [=](const Case& c) { return each * operations(c); };
      programs[gpu_program].cost = [=](const Case& c) { return fixed + each / 10 * operations(c); };
    }
  };

  ThresholdPlan plan_of(std::uint64_t seed) const {
    ThresholdPlan plan;
    plan.config = read_threshold_config(folder_.write("config.json", R"({
      "threshold": {"parameter": "m", "baseline": {"backends": ["cpu"]}, "challenger": {"backends": ["gpu"]}},
      "measure": {"placement": "free", "energy_seconds": 0},
      "workloads": [{"op": "matmul", "m": {"from": 64, "to": 2048, "factor": 2}, "n": "m", "k": "m"}]})"));
    plan.config.measure.seed = seed;
    plan.sides[0].backends = {simulated::backend("cpu", cpu_program)};
    BackendRecord gpu = simulated::backend("gpu", gpu_program);
    gpu.device = "gpu";
    gpu.device_id = "GPU-1";
    plan.sides[1].backends = {gpu};
    plan.reference_backend = simulated::backend("reference", "/reference");
    return plan;
  }

  /// The same in energy, with programs that tell their own, up to sizes that take less than a second.
  ThresholdPlan energy_plan_of(std::uint64_t seed) const {
    ThresholdPlan plan = plan_of(seed);
    plan.config.in = {Metric::energy};
    plan.config.questions.front().to = 512;
    plan.sides[1].backends = {simulated::backend("gpu", gpu_program)};
    plan.max_seconds = 7200;
    return plan;
  }

  static Threshold threshold(SimulatedMachine& machine, const ThresholdPlan& plan) {
    const Instruments instruments = machine.instruments();
    return run_threshold(
        plan, [](const std::function<Threshold()>&) {}, [](const SessionProgress&) {}, instruments);
  }

  /// Expects that the GPU is ahead from the planted size on, and nowhere below.
  static void expect_planted(const Threshold& found) {
    ASSERT_EQ(found.answers.size(), 1U);
    const ThresholdAnswer& answer = found.answers.front();
    ASSERT_EQ(answer.found.answer, BreakEven::Answer::from_value) << in_words(answer, found);
    ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
    const LeadChange& change = answer.found.changes.front();
    EXPECT_EQ(change.below, Lead::baseline);
    EXPECT_EQ(change.above, Lead::challenger);
    EXPECT_NEAR(change.crossing, planted, 0.03 * planted);
    EXPECT_LT(change.interval.low, 1.02 * planted);
    EXPECT_GT(change.interval.high, 0.98 * planted);
    EXPECT_EQ(exit_status(found), 0);
  }

  /// Seconds of the side's samples over what they should be, by value: the median of each. Calls of seconds
  /// are left out: in a script a disturbance lasts for all of a call, and no probe sees it afterwards.
  static std::vector<double> factors(const Threshold& found, const Machine& machine, std::size_t side,
                                     const char* program) {
    std::vector<double> all;
    for (const ThresholdPoint& point : found.answers.at(0).points) {
      if (!point.sides.at(side).seconds) continue;
      const PlannedCase planned = simulated::product(point.value);
      const double cost = machine.programs.at(program).cost(planned.problem);
      if (cost < 1) all.push_back(*point.sides.at(side).seconds / cost);
    }
    EXPECT_GE(all.size(), 4U);
    return all;
  }

  TemporaryFolder folder_;
};

/// A neighbour was seen to do this: one program's code suffers more than the other's.
Disturbance neighbour() {
  return {.own_speed = 0.5, .slowed = {{cpu_program, 1.9}, {gpu_program, 1.35}}, .throttled_by = {}};
}

TEST_F(ThresholdInSimulatedTime, PlantedCrossoverIsFound) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Machine machine(seed);
    const Threshold found = threshold(machine, plan_of(seed));
    expect_planted(found);
    EXPECT_TRUE(found.complete);
    ASSERT_TRUE(found.machine_speed);
    EXPECT_EQ(found.machine_speed->slow_rounds, 0);
  }
}

TEST_F(ThresholdInSimulatedTime, ThreadsThatNeverSleepAreSaid) {
  Machine machine(1);
  machine.programs[gpu_program].sleeps = false;
  EXPECT_THAT(
      note_texts(threshold(machine, plan_of(1)).answers.at(0).notes),
      Contains("gpu: its threads were still busy 50 ms after a sample: they disturb the other backends"));
}

/// The faster of two equal backends in each launch would make their side 1.1 % faster than either.
TEST_F(ThresholdInSimulatedTime, SideOfTwoEqualBackendsIsNoFasterThanEach) {
  std::vector<double> log_ratios;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Machine machine(seed);
    for (const char* program : {cpu_program, gpu_program, "/cpu/other"}) {
      machine.programs[program].cost = [](const Case&) { return 1e-3; };
      machine.programs[program].noise = 0.02;
    }
    ThresholdPlan plan = plan_of(seed);
    plan.sides[0].backends.push_back(simulated::backend("other", "/cpu/other"));
    const Threshold found = threshold(machine, plan);
    for (const ThresholdPoint& point : found.answers.at(0).points)
      std::ranges::copy(middles_of(point.log_ratios), std::back_inserter(log_ratios));
  }
  ASSERT_GE(log_ratios.size(), 150U);
  EXPECT_NEAR(mean(log_ratios), 0, 0.007);
}

TEST_F(ThresholdInSimulatedTime, NeighbourForAWhileDoesNotMoveIt) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Machine machine(seed, long_work);
    // Comes and goes within seconds, so that it often comes in the middle of a round, and stays once for
    // twenty.
    machine.disturbance = [](double now) {
      const double since = now - 1000;
      return std::fmod(since, 3) < 1.2 || (since > 10 && since < 30) ? neighbour() : Disturbance{};
    };
    const Threshold found = threshold(machine, plan_of(seed));
    expect_planted(found);
    EXPECT_GT(found.machine_speed->slow_rounds, 0);
    EXPECT_THAT(factors(found, machine, 0, cpu_program), Each(Le(1.05)));
  }
}

/// The times alone would show 350.
TEST_F(ThresholdInSimulatedTime, BesideANeighbourThatStaysTheIntervalHasTheQuietCrossingAndItIsSaid) {
  Machine machine(4);
  machine.disturbance = [](double) { return neighbour(); };
  const Threshold found = threshold(machine, plan_of(4));
  ASSERT_EQ(found.answers.size(), 1U);
  const ThresholdAnswer& answer = found.answers[0];
  EXPECT_EQ(answer.found.answer, BreakEven::Answer::from_value);
  ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
  EXPECT_LT(answer.found.changes[0].interval.low, planted);
  EXPECT_GT(answer.found.changes[0].interval.high, planted);
  EXPECT_LT(answer.found.changes[0].interval.high, 4 * planted);
  EXPECT_EQ(answer.slow_launches, answer.found.launches);
  EXPECT_THAT(note_texts(answer.notes),
              Contains(AllOf(HasSubstr("below 95 %"), HasSubstr("50 % of its own speed"))));
  EXPECT_EQ(exit_status(found), 3) << "a script must see it";
  EXPECT_EQ(threshold_from(nlohmann::ordered_json::parse(to_json_text(found))).answers[0].slow_launches,
            answer.slow_launches);
}

/// It was there from the start, so that the first launches looked undisturbed.
TEST_F(ThresholdInSimulatedTime, NeighbourSeenTooLateIsInTheInterval) {
  Machine machine(4);
  machine.probe_is_absolute = false;
  machine.disturbance = [](double now) { return now < 1005 ? neighbour() : Disturbance{}; };
  const Threshold found = threshold(machine, plan_of(4));
  const ThresholdAnswer& answer = found.answers.at(0);
  EXPECT_GT(answer.slow_launches.value_or(0), 0U);
  ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
  EXPECT_LT(answer.found.changes[0].interval.low, 1.02 * planted);
  EXPECT_GT(answer.found.changes[0].interval.high, 0.98 * planted);
}

TEST_F(ThresholdInSimulatedTime, WaitingForTheMachineIsATenthOfTheLimitOrAQuarterOfTheTime) {
  // Beside a neighbour, whose part is unknown, more launches are taken.
  double launches = 0;
  const auto wall_seconds = [&](double limit, bool is_slow) {
    Machine machine(4);
    if (is_slow) machine.disturbance = [](double) { return neighbour(); };
    ThresholdPlan plan = plan_of(4);
    plan.max_seconds = limit;
    const Threshold found = threshold(machine, plan);
    launches = static_cast<double>(found.answers.at(0).found.launches);
    return found.wall_seconds;
  };
  const double undisturbed = wall_seconds(600, false);
  ASSERT_LT(undisturbed, 60);
  const double slowed_launch = 1.9 * undisturbed / launches;
  const double slowed = wall_seconds(600, true);
  EXPECT_LT(slowed, slowed_launch * launches / 0.75 + 60);
  EXPECT_GT(slowed, 60);
}

TEST_F(ThresholdInSimulatedTime, WithoutAProbeTheNeighbourDeceives) {
  Machine machine(4);
  machine.has_probe = false;
  machine.disturbance = [](double) { return neighbour(); };
  const Threshold found = threshold(machine, plan_of(4));
  ASSERT_EQ(found.answers.at(0).found.changes.size(), 1U);
  EXPECT_LT(found.answers[0].found.changes[0].crossing, 0.95 * planted)
      << "so that the tests above show what the probe is for";
}

TEST_F(ThresholdInSimulatedTime, SamplesOfAThrottlingGpuAreNotKept) {
  Machine machine(5, long_work);
  // Hot for a part of every two seconds: rests let it cool.
  machine.disturbance = [](double now) {
    if (std::fmod(now, 2) > 0.7) return Disturbance{};
    return Disturbance{.own_speed = 1, .slowed = {{gpu_program, 1.5}}, .throttled_by = {"thermal slowdown"}};
  };
  const Threshold found = threshold(machine, plan_of(5));
  expect_planted(found);
  EXPECT_THAT(factors(found, machine, 1, gpu_program), Each(Le(1.05)));
  EXPECT_THAT(
      note_texts(found.answers[0].notes),
      Contains(AllOf(HasSubstr("gpu: the GPU lowered its clocks in"), HasSubstr("thermal slowdown"))));
}

TEST_F(ThresholdInSimulatedTime, GpuThatThrottlesAllTheTimeIsMeasuredAsItIs) {
  Machine machine(6);
  machine.disturbance = [](double) {
    return Disturbance{.own_speed = 1, .slowed = {{gpu_program, 1.5}}, .throttled_by = {"power cap"}};
  };
  const Threshold found = threshold(machine, plan_of(6));
  ASSERT_EQ(found.answers.at(0).found.answer, BreakEven::Answer::from_value);
  EXPECT_THAT(factors(found, machine, 1, gpu_program), Each(Ge(1.45)));
  EXPECT_THAT(note_texts(found.answers[0].notes), Contains(HasSubstr("power cap")));
}

TEST_F(ThresholdInSimulatedTime, EnergyIsThatOfTheRoundsThatCount) {
  Machine machine(11, long_work);
  int samples = 0;
  bool is_slow = false;
  double slow_until = 0;
  // Most of the rounds are disturbed, from the CPU program's sample to the probe after the round. They are
  // left out, and have a hundred times the energy.
  machine.disturbance = [&](double now) {
    return now < slow_until ? Disturbance{.own_speed = 0.5} : Disturbance{};
  };
  machine.programs[cpu_program].fault = [&](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Sample>(request)) return std::nullopt;
    constexpr double longer_than_a_round = 1.2;
    is_slow = ++samples % 3 != 0;
    if (is_slow) slow_until = machine.time.now() + longer_than_a_round;
    return std::nullopt;
  };
  machine.programs[cpu_program].joules = [&](double seconds) { return is_slow ? 100 * seconds : seconds; };
  machine.programs[gpu_program].joules = [](double seconds) { return seconds; };
  const Threshold found = threshold(machine, energy_plan_of(11));
  const ThresholdAnswer& answer = found.answers.at(0);
  EXPECT_EQ(answer.slow_launches, std::nullopt) << "the machine can be waited for";
  ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
  EXPECT_NEAR(answer.found.changes[0].crossing, planted, 0.03 * planted);
}

/// A counter that cannot be read once costs that launch, not the value.
TEST_F(ThresholdInSimulatedTime, OneLaunchWithoutEnergyCostsNoOther) {
  Machine machine(12);
  std::map<std::int64_t, int> launches;  // of each value
  bool tells = true;
  machine.programs[gpu_program].fault = [&](const Request& request) -> WrongAnswer {
    if (const auto* prepare = std::get_if<request::Prepare>(&request))
      tells = ++launches[prepare->problem.parameters.integer("m")] != 2;
    return std::nullopt;
  };
  machine.programs[cpu_program].joules = [](double seconds) { return seconds; };
  machine.programs[gpu_program].joules = [&](double seconds) {
    return tells ? std::optional(seconds) : std::nullopt;
  };
  const Threshold found = threshold(machine, energy_plan_of(12));
  const ThresholdAnswer& answer = found.answers.at(0);
  ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
  EXPECT_NEAR(answer.found.changes[0].crossing, planted, 0.03 * planted);
  for (const ThresholdPoint& point : answer.points) {
    EXPECT_EQ(point.reason, "") << point.value;
    EXPECT_FALSE(point.log_ratios.empty()) << point.value;
  }
}

/// Between 128 and 256, where the cost changes sides, the GPU is slower from 150 to 220. Only the launches
/// for the cost show that.
TEST_F(ThresholdInSimulatedTime, LaunchesForTheCostReopenTheAnswerInTime) {
  Machine machine(14);
  const auto cpu = machine.programs[cpu_program].cost;
  machine.programs[gpu_program].cost = [=](const Case& problem) {
    const auto m = static_cast<double>(problem.parameters.integer("m"));
    const double ratio = m >= 150 && m < 220 ? 1.25 : m < 220 ? 0.8 : 0.4;
    return ratio * cpu(problem);
  };
  ThresholdPlan plan = plan_of(14);
  plan.config.in = {Metric::time, Metric::cost};
  for (std::size_t side = 0; side < 2; ++side)
    plan.config.sides[side].price =
        HourlyPrice{.per_hour = side == 0 ? 1 : 1.8, .from = {.currency = "EUR", .source = "", .date = ""}};
  const Threshold found = threshold(machine, plan);
  ASSERT_EQ(found.answers.size(), 2U);
  const auto& changes = found.answers[0].found.changes;
  ASSERT_EQ(changes.size(), 2U) << in_words(found.answers[0], found);
  const std::array<std::int64_t, 2> edges{150, 220};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(changes[i].earliest, edges.at(i));
    EXPECT_GE(changes[i].latest, edges.at(i));
    EXPECT_LE(changes[i].interval.high, 1.05 * changes[i].interval.low) << "its place was measured";
  }
}

TEST_F(ThresholdInSimulatedTime, EnergyThatIsNeverKnownLeavesNoAnswer) {
  Machine machine(13);
  machine.programs[cpu_program].joules = [](double seconds) { return seconds; };
  const Threshold found = threshold(machine, energy_plan_of(13));
  EXPECT_FALSE(found.answers.at(0).found.last);
  for (const ThresholdPoint& point : found.answers[0].points)
    EXPECT_THAT(point.reason, HasSubstr("gpu (challenger): energy unknown"));
  EXPECT_EQ(exit_status(found), 4);
}

TEST_F(ThresholdInSimulatedTime, InterruptionAtAnyStepKeepsWhatIsKnown) {
  bool ended = false;
  for (int step = 1; step < 4000 && !ended; step += 1 + step / 9) {
    Machine machine(7);
    const simulated::InterruptionAt interruption(machine, step);
    const Threshold found = threshold(machine, plan_of(7));
    ended = !interruption.came();
    EXPECT_EQ(found.complete, ended) << step;
    ASSERT_EQ(found.answers.size(), 1U);
    const ThresholdAnswer& answer = found.answers[0];
    EXPECT_EQ(threshold_from(nlohmann::ordered_json::parse(to_json_text(found))).answers.size(), 1U);
    if (ended) {
      expect_planted(found);
    } else {  // half of what is needed is no answer
      EXPECT_THAT(answer.found.answer, AnyOf(BreakEven::Answer::unclear, BreakEven::Answer::from_value));
    }
    for (const LeadChange& change : answer.found.changes)
      EXPECT_TRUE(change.interval.low < 1.05 * planted && change.interval.high > 0.95 * planted) << step;
  }
  EXPECT_TRUE(ended) << "the last one was not interrupted";
}

/// A program that no longer answers from a size on, as where memory is swapped.
TEST_F(ThresholdInSimulatedTime, ProgramThatStopsAnsweringCostsTheValuesWhereItDoes) {
  Machine machine(8);
  double size = 0;
  machine.programs[cpu_program].fault = [&](const Request& request) -> WrongAnswer {
    if (const auto* prepare = std::get_if<request::Prepare>(&request))
      size = static_cast<double>(prepare->problem.parameters.integer("m"));
    if (size < 1000 || !std::holds_alternative<request::Sample>(request)) return std::nullopt;
    return WorkerLost{.status = Status::timed_out,
                      .reason = "no answer within 120 s (measure.timeout_seconds)"};
  };
  ThresholdPlan plan = plan_of(8);
  plan.max_seconds = 7200;
  const Threshold found = threshold(machine, plan);
  const ThresholdAnswer& answer = found.answers.at(0);
  ASSERT_EQ(answer.found.changes.size(), 1U) << in_words(answer, found);
  EXPECT_NEAR(answer.found.changes[0].crossing, planted, 0.03 * planted);
  EXPECT_EQ(answer.found.last, 512);
  int lost = 0;
  for (const ThresholdPoint& point : answer.points) {
    if (point.value < 1000) continue;
    ++lost;
    EXPECT_THAT(point.reason,
                AllOf(HasSubstr("cpu (baseline): timed out"), HasSubstr("no answer within 120 s")));
    EXPECT_TRUE(point.log_ratios.empty());
  }
  EXPECT_EQ(lost, 2);
}

TEST_F(ThresholdInSimulatedTime, ProgramThatNeverAnswersLeavesNoAnswer) {
  Machine machine(9);
  machine.programs[gpu_program].fault = [](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Sample>(request)) return std::nullopt;
    return WorkerLost{.status = Status::timed_out, .reason = "no answer"};
  };
  ThresholdPlan plan = plan_of(9);
  plan.max_seconds = 7200;
  const Threshold found = threshold(machine, plan);
  EXPECT_EQ(found.answers.at(0).found.answer, BreakEven::Answer::unclear);
  EXPECT_EQ(exit_status(found), 4);
  EXPECT_TRUE(found.complete);
}

/// Its first two launches at a value were right and fast.
TEST_F(ThresholdInSimulatedTime, TimesOfABackendThatTurnsOutWrongAreForgotten) {
  Machine machine(15);
  const auto cost = machine.programs[gpu_program].cost;
  machine.programs["/gpu/other"].cost = cost;
  machine.programs[gpu_program].cost = [=](const Case& problem) { return cost(problem) / 2; };
  std::map<std::int64_t, int> verifications;  // by size, two in a launch
  std::int64_t size = 0;
  machine.programs[gpu_program].fault = [&](const Request& request) -> WrongAnswer {
    if (const auto* prepare = std::get_if<request::Prepare>(&request))
      size = prepare->problem.parameters.integer("m");
    const auto* verify = std::get_if<request::Verify>(&request);
    if (verify == nullptr || ++verifications[size] < 6) return std::nullopt;
    const std::vector<double> twos(verify->elements.size(), 2);
    return to_line(Answer(Evidence{.elements = twos, .projections = {}, .losses = {}}));
  };
  ThresholdPlan plan = plan_of(15);
  plan.sides[1].backends.push_back(simulated::backend("other", "/gpu/other"));
  const Threshold found = threshold(machine, plan);
  EXPECT_EQ(exit_status(found), 1);
  int wrong = 0;
  for (const ThresholdPoint& point : found.answers.at(0).points) {
    if (!point.wrong) continue;
    ++wrong;
    const PlannedCase planned = simulated::product(point.value);
    const double expected =
        std::log(cost(planned.problem) / machine.programs[cpu_program].cost(planned.problem));
    EXPECT_EQ(point.sides[1].backend, "other");
    EXPECT_GE(point.log_ratios.size(), 3U) << point.value;
    EXPECT_THAT(middles_of(point.log_ratios), Each(AllOf(Ge(expected - 0.1), Le(expected + 0.1))))
        << point.value;
  }
  EXPECT_GT(wrong, 0);
}

TEST_F(ThresholdInSimulatedTime, QuestionThatNoTimeWasLeftForIsNotAnswered) {
  Machine machine(16);
  ThresholdPlan plan = plan_of(16);
  plan.config.questions.push_back(plan.config.questions.front());
  plan.max_seconds = 1e-3;  // less than a launch
  const Threshold found = threshold(machine, plan);
  ASSERT_EQ(found.answers.size(), 2U);
  int measured = 0;
  for (const ThresholdAnswer& answer : found.answers) {
    EXPECT_THAT(in_words(answer, found), HasSubstr("Not answered: time ran out"));
    measured += answer.found.last ? 1 : 0;
  }
  EXPECT_LE(measured, 1);
  EXPECT_EQ(exit_status(found), 3);
}

TEST_F(ThresholdInSimulatedTime, ImpossibleTimesAreNotBelieved) {
  for (const double claims : {1e-9, 2.0, 1e300}) {
    Machine machine(10);
    machine.programs[gpu_program].claims = claims;
    const Threshold found = threshold(machine, plan_of(10));
    EXPECT_EQ(found.answers.at(0).found.answer, BreakEven::Answer::unclear) << claims;
    for (const ThresholdPoint& point : found.answers[0].points)
      EXPECT_THAT(point.reason, HasSubstr("reported")) << claims;
    EXPECT_FALSE(found.answers[0].points.empty());
  }
}

}  // namespace
}  // namespace breakeven
