// Tests a run on a disturbed machine: scripted programs and a scripted probe, in simulated time.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/words/notes.h"
#include "results/algorithm.h"
#include "results/counted_samples.h"
#include "results/whole_file.h"
#include "session/session.h"
#include "session/worker_process.h"
#include "unit/session/simulated_machine.h"
#include "version.h"

namespace breakeven {
namespace {

using simulated::Disturbance;
using simulated::SimulatedMachine;
using simulated::WrongAnswer;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;

struct Machine : SimulatedMachine {
  explicit Machine(std::uint64_t seed) : SimulatedMachine(seed) {
    for (const char* path : {"/a", "/b", "/reference"}) programs[path] = {};
  }
};

SessionPlan plan_of(std::vector<std::int64_t> sizes) {
  return {.config = simulated::config_of(std::move(sizes)),
          .backends = {simulated::backend("a", "/a"), simulated::backend("b", "/b")},
          .reference_backend = simulated::backend("reference", "/reference"),
          .earlier = {}};
}

Result run(SimulatedMachine& machine, const SessionPlan& plan) {
  const Instruments instruments = machine.instruments();
  return run_session(
      plan, [](const Result&, std::size_t) {}, [](const SessionProgress&) {}, instruments);
}

const CaseResult& case_of(const Result& result, const std::string& backend) {
  for (const CaseResult& c : result.cases) {
    if (c.backend == backend) return c;
  }
  throw std::out_of_range(backend);
}

TEST(RunInSimulatedTime, VisitsEveryCaseTwice) {
  Machine machine(1);
  const Result result = run(machine, plan_of({64, 128}));
  EXPECT_TRUE(result.complete);
  for (const CaseResult& c : result.cases) {
    EXPECT_EQ(c.status, Status::ok) << c.reason;
    EXPECT_EQ(c.seconds->visits.size(), 2U);
    EXPECT_EQ(c.seconds->launches.size(), 1U);
    EXPECT_EQ(c.seconds->own_speed.size(), c.seconds->samples.size());
    EXPECT_THAT(note_texts(c.warnings), IsEmpty());
    EXPECT_NEAR(c.seconds->median, 1e-3, 5e-5);
  }
  EXPECT_EQ(machine.started, 3) << "two programs and the reference, each once";
}

TEST(RunInSimulatedTime, SlowPhaseIsTakenAgain) {
  Machine machine(2);
  machine.disturbance = [](double now) {
    return now < 1004 ? Disturbance{.own_speed = 0.6, .slowed = {{"/a", 1.6}, {"/b", 1.2}}} : Disturbance{};
  };
  const Result result = run(machine, plan_of({64}));
  for (const CaseResult& c : result.cases) {
    EXPECT_NEAR(c.seconds->median, 1e-3, 5e-5) << c.backend;
    EXPECT_THAT(note_texts(c.warnings), Not(Contains(HasSubstr("of its own speed"))));
  }
  EXPECT_GT(result.machine_speed->slow_rounds, 0);
}

TEST(RunInSimulatedTime, SlowPhasesAreTakenAgainOnlyWhereThatIsAQuarterOfTheTime) {
  const auto seconds_at = [](double own_speed) {
    Machine machine(2);
    for (const char* path : {"/a", "/b"}) machine.programs[path].setup = 20;
    machine.disturbance = [=](double) { return Disturbance{.own_speed = own_speed}; };
    const double begun = machine.time.now();
    run(machine, plan_of({64, 128, 256}));
    return machine.time.now() - begun;
  };
  EXPECT_LT(seconds_at(0.6), 1.25 * seconds_at(1));
}

/// `compare` needs launches with samples at the machine's own speed.
TEST(RunInSimulatedTime, SlowLaunchesAreFollowedByFurtherOnes) {
  SessionPlan plan = plan_of({64, 128, 256});
  plan.config.measure.launches = 5;
  const auto run_with_neighbour = [&](double from, double to, double& seconds) {
    Machine machine(2);
    const double begun = machine.time.now();
    machine.disturbance = [=](double now) {
      const bool is_there = now - begun >= from && now - begun < to;
      return Disturbance{.own_speed = is_there ? 0.6 : 1.0};
    };
    const Result result = run(machine, plan);
    seconds = machine.time.now() - begun;
    return result;
  };
  double quiet = 0, seconds = 0;
  std::size_t added = 0;
  for (const CaseResult& c : run_with_neighbour(0, 0, quiet).cases) EXPECT_EQ(c.seconds->launches.size(), 5U);
  for (const CaseResult& c : run_with_neighbour(0.3 * quiet, 0.7 * quiet, seconds).cases) {
    EXPECT_EQ(c.status, Status::ok);
    added += c.seconds->launches.size() - 5;
    EXPECT_EQ(sample_figures(*c.seconds).launch_medians->size(), 5U);
  }
  EXPECT_GT(added, 0U) << "the neighbour was there during whole launches";
  run_with_neighbour(0, std::numeric_limits<double>::infinity(), seconds);
  const double all_time = quiet + static_cast<double>(plan.config.cases.size() * plan.backends.size()) *
                                      plan.config.measure.max_seconds;
  EXPECT_LT(seconds, 1.25 * all_time) << "a neighbour that stays is not waited for";
}

/// CPUs that only launch a GPU's work rest between launches: a probe would find them slow.
TEST(RunInSimulatedTime, ARunOnGpusAloneIsNotProbed) {
  Machine machine(2);
  machine.disturbance = [](double) { return Disturbance{.own_speed = 0.6}; };
  SessionPlan plan = plan_of({64});
  for (BackendRecord& backend : plan.backends) backend.device = "gpu";
  EXPECT_FALSE(run(machine, plan).machine_speed);
  plan.backends.front().device = "cpu";
  EXPECT_TRUE(run(machine, plan).machine_speed);
}

/// On a processor whose own speed is unknown, the first probes only show the fastest speed so far.
TEST(RunInSimulatedTime, SamplesBesideAnEarlyNeighbourAreTakenAgain) {
  Machine machine(2);
  machine.probe_is_absolute = false;
  machine.disturbance = [](double now) {
    return now < 1003 ? Disturbance{.own_speed = 0.6, .slowed = {{"/a", 1.6}, {"/b", 1.2}}} : Disturbance{};
  };
  const Result result = run(machine, plan_of({64, 128, 256, 512}));
  for (const CaseResult& c : result.cases) EXPECT_NEAR(c.seconds->median, 1e-3, 5e-5) << c.backend;
  EXPECT_GT(machine.time.now(), 1003) << "the run saw the machine without it";
}

TEST(RunInSimulatedTime, EachLaunchIsSavedAndOnlyAllOfThemAreComplete) {
  std::size_t saved_in_part = 0;
  for (int step = 1; step < 3000; step += 37) {
    Machine machine(8);
    const simulated::InterruptionAt interruption(machine, step);
    SessionPlan plan = plan_of({64, 128});
    plan.config.measure.launches = 3;
    const Instruments instruments = machine.instruments();
    const Result result = run_session(
        plan,
        [&](const Result& saved, std::size_t) {
          for (const CaseResult& c : saved.cases)
            saved_in_part += c.seconds && c.seconds->launches.size() < 3 ? 1 : 0;
        },
        [](const SessionProgress&) {}, instruments);
    std::ptrdiff_t measured = 0;
    for (const CaseResult& c : result.cases) {
      if (c.status != Status::ok) continue;
      ++measured;
      EXPECT_EQ(c.seconds->launches.size(), 3U) << step;
    }
    EXPECT_EQ(result.complete, measured == 4) << step;
    if (!interruption.came()) {
      EXPECT_EQ(measured, 4);
      break;
    }
  }
  EXPECT_GT(saved_in_part, 0U);
}

TEST(RunInSimulatedTime, SlowMachineIsSaid) {
  Machine machine(3);
  machine.disturbance = [](double) {
    return Disturbance{.own_speed = 0.6, .slowed = {{"/a", 1.6}, {"/b", 1.2}}};
  };
  const Result result = run(machine, plan_of({64}));
  for (const CaseResult& c : result.cases) {
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_THAT(note_texts(c.warnings), Contains(HasSubstr("this machine ran at 60 % of its own speed")));
  }
  EXPECT_LT(machine.time.now() - 1000, 60) << "waiting is limited";
}

TEST(RunInSimulatedTime, ThreadsThatNeverSleepAreSaidOnce) {
  Machine machine(1);
  machine.programs["/a"].sleeps = false;
  const Result result = run(machine, plan_of({64}));
  EXPECT_THAT(note_texts(case_of(result, "a").warnings),
              testing::ElementsAre(
                  "its threads were still busy 50 ms after a sample: they disturb the other backends"));
  EXPECT_THAT(note_texts(case_of(result, "b").warnings), IsEmpty());
}

/// A probe is a part of every round. The rounds of a single backend have one sample each.
TEST(RunInSimulatedTime, ProbeTakesAtMostThreePercentOfTheTime) {
  const std::vector<std::vector<double>> every_cost{
      {100e-6}, {650e-6}, {1.2e-3}, {400e-6, 400e-6, 2e-3} /* some are repeated, and cost more */};
  for (const auto& probe_seconds : every_cost) {
    for (const std::size_t backends : {1U, 2U}) {
      Machine machine(5);
      machine.probe_seconds = probe_seconds;
      SessionPlan plan = plan_of({64});
      plan.config.measure.precision = 1e-6;
      plan.backends.resize(backends);
      const Result result = run(machine, plan);
      ASSERT_TRUE(result.sampling);
      EXPECT_LE(result.sampling->probe_seconds, 0.03 * result.sampling->wall_seconds)
          << testing::PrintToString(probe_seconds) << ' ' << backends;
      EXPECT_GT(result.sampling->probe_seconds, 0.005 * result.sampling->wall_seconds);
      for (const CaseResult& c : result.cases) {
        ASSERT_TRUE(c.seconds);
        EXPECT_LT(static_cast<double>(c.seconds->iterations) * c.seconds->median, 0.015)
            << "samples stay short: a probe follows several";
      }
    }
  }
}

TEST(RunInSimulatedTime, ClockIsKeptAndItsChangesAreSaid) {
  const auto run_at = [](double later_clock) {
    Machine machine(6);
    machine.disturbance = [=](double now) { return Disturbance{.clock = now < 1002 ? 1 : later_clock}; };
    SessionPlan plan = plan_of({64, 128});
    plan.config.measure.precision = 1e-6;  // all of the time is used
    return run(machine, plan);
  };
  const Result steady = run_at(0.97);
  EXPECT_THAT(note_texts(steady.warnings), Not(Contains(HasSubstr("clock"))));
  EXPECT_NEAR(steady.machine_speed->clock_range.value(), 1.031, 1e-3);
  EXPECT_DOUBLE_EQ(steady.machine_speed->best_seconds.at("clock"), 1);
  const Result changed = run_at(0.8);
  EXPECT_THAT(note_texts(changed.warnings),
              Contains(HasSubstr("the processor's clock varied by 25 % during this run")));
  EXPECT_DOUBLE_EQ(changed.machine_speed->median_seconds.at("clock"), 1.25);
}

/// A hypervisor may move a virtual machine's CPUs to other chips, and back.
TEST(RunInSimulatedTime, CoresThatAreMovedAreSaid) {
  const auto run_at = [](double later_distance) {
    Machine machine(6);
    machine.disturbance = [=](double now) {
      return Disturbance{.distance = now < 1002 ? 1 : later_distance};
    };
    SessionPlan plan = plan_of({64, 128});
    plan.config.measure.precision = 1e-6;  // all of the time is used
    return run(machine, plan);
  };
  EXPECT_THAT(note_texts(run_at(1.5).warnings), Not(Contains(HasSubstr("cores"))));
  const Result changed = run_at(6);
  EXPECT_THAT(note_texts(changed.warnings), Contains(HasSubstr("the core-to-core latency changed by 6x")));
  EXPECT_DOUBLE_EQ(changed.machine_speed->best_seconds.at("core_to_core"), 25e-9);
  EXPECT_EQ(changed.machine_speed->slow_rounds, 0) << "both are the machine's own speed";
}

TEST(RunInSimulatedTime, CountersStandBesideTheSpeed) {
  Machine machine(7);
  EXPECT_FALSE(run(machine, plan_of({64})).machine_speed->instructions_per_cycle);
  machine.counters = SpeedCounters{.cycles = 1000, .instructions = 1800};
  EXPECT_DOUBLE_EQ(run(machine, plan_of({64})).machine_speed->instructions_per_cycle.value(), 1.8);
}

/// The second call may be as slow as the first: a library reads a file, or extra work is measured.
TEST(RunInSimulatedTime, SamplesAreNotShortBecauseTheFirstCallsWereSlow) {
  Machine machine(9);
  machine.programs["/a"].seconds = 1e-5;
  machine.programs["/a"].drift = [calls = 0](double) mutable { return ++calls <= 2 ? 1000.0 : 1.0; };
  const CaseResult measured = case_of(run(machine, plan_of({64})), "a");
  EXPECT_GE(measured.seconds->iterations, 800) << "10 ms of calls of 10 us";
  EXPECT_NEAR(measured.seconds->median, 1e-5, 5e-7);
}

/// A program that gets faster over its first seconds, as caches, clocks and allocators warm up.
TEST(RunInSimulatedTime, WarmUpGoesOnUntilTimesAreSteady) {
  Machine machine(4);
  for (const char* path : {"/a", "/b"}) {
    machine.programs[path].noise = 0.001;
    machine.programs[path].drift = [](double since_start) { return 1 + 0.1 * std::exp(-since_start / 0.15); };
  }
  const Result result = run(machine, plan_of({64}));
  ASSERT_EQ(result.cases.size(), 2U);
  for (const CaseResult& c : result.cases) {
    ASSERT_TRUE(c.seconds) << c.reason;
    EXPECT_GE(c.seconds->samples.size(), 10U);
    for (const double seconds : c.seconds->samples) EXPECT_LT(seconds, 1.01 * c.seconds->median) << c.backend;
  }
}

TEST(RunInSimulatedTime, LiarCostsItsOwnCases) {
  Machine machine(5);
  machine.programs["/a"].claims = 1e-9;
  const Result result = run(machine, plan_of({64}));
  EXPECT_EQ(case_of(result, "a").status, Status::failed);
  EXPECT_THAT(case_of(result, "a").reason, HasSubstr("reported"));
  EXPECT_EQ(case_of(result, "b").status, Status::ok);
}

TEST(RunInSimulatedTime, NoFactorFromTwoOnIsBelieved) {
  for (const double factor : {2.0, 3.0, 10.0, 1e6, 1e12, 1e300}) {
    for (const int honest : {0, 4, 12}) {
      for (const double seconds : {1e-5, 1e-3, 0.1, 1.0}) {
        Machine machine(5);
        machine.programs["/a"].seconds = seconds;
        machine.programs["/a"].claims = 1 / factor;
        machine.programs["/a"].honest = honest;
        SessionPlan plan = plan_of({64});
        plan.config.measure.max_seconds = std::max(3.0, 30 * seconds);
        const Result result = run(machine, plan);
        EXPECT_EQ(case_of(result, "a").status, Status::failed) << factor << " " << honest << " " << seconds;
        EXPECT_THAT(case_of(result, "a").reason, HasSubstr("times in a row"));
        EXPECT_EQ(case_of(result, "b").status, Status::ok);
      }
    }
  }
}

TEST(RunInSimulatedTime, LittleThatIsLeftOutIsBelieved) {
  Machine machine(5);
  machine.programs["/a"].claims = 1 / 1.7;
  EXPECT_EQ(case_of(run(machine, plan_of({64})), "a").status, Status::ok);
}

/// On a busy machine messages may take as long as a sample, but not as long as many.
TEST(RunInSimulatedTime, SamplesGrowWhereMessagesAreSlow) {
  Machine machine(5);
  machine.programs["/a"].fault = [&](const Request& request) -> WrongAnswer {
    if (std::holds_alternative<request::Sample>(request)) machine.time.sleep(0.02);
    return std::nullopt;
  };
  const CaseResult measured = case_of(run(machine, plan_of({64})), "a");
  EXPECT_EQ(measured.status, Status::ok) << measured.reason;
  EXPECT_NEAR(measured.seconds->median, 1e-3, 5e-5);
  EXPECT_GE(measured.seconds->iterations, 20);
}

/// A run of /a alone, which may take four, seven or all eight threads, whose times are these.
struct ThreadsRun {
  Machine machine{5};
  SessionPlan plan = plan_of({64});

  explicit ThreadsRun(std::map<int, double> by_threads) {
    machine.programs["/a"].by_threads = std::move(by_threads);
    plan.backends.pop_back();
    plan.threads = 8;
    plan.fewer_threads = {7, 4};
  }
  CaseResult result() { return run(machine, plan).cases.at(0); }
};

CaseResult run_with_threads(std::map<int, double> by_threads) {
  return ThreadsRun(std::move(by_threads)).result();
}

TEST(Threads, AreFewerWhereThatIsFaster) {
  const CaseResult half = run_with_threads({{8, 3}, {7, 2}, {4, 1}});
  EXPECT_NEAR(half.seconds->median, 1e-3, 5e-5);
  EXPECT_THAT(note_texts(half.warnings), Contains(HasSubstr("computed by 4 of 8 threads, which is ")));
  EXPECT_EQ(half.threads, (ChosenThreads{.chosen = 4, .of = 8}));
  EXPECT_EQ(algorithm_with_threads(half), "scripted; 4 of 8 threads");
}

TEST(Threads, AreTheSameInAllLaunches) {
  ThreadsRun launches({{8, 20}, {7, 1}, {4, 2}});
  launches.plan.config.measure.launches = 3;
  const CaseResult one_fewer = launches.result();
  EXPECT_THAT(one_fewer.seconds->samples, Each(Lt(1.1e-3)));
  EXPECT_THAT(note_texts(one_fewer.warnings), ElementsAre(HasSubstr("by 7 of 8 threads, which is ")));
}

/// Neighbours that take a core have that effect.
TEST(Threads, AreOneFewerWhereAllTakeVeryLong) {
  const CaseResult one_fewer = run_with_threads({{8, 120}, {7, 1}, {4, 2}});
  EXPECT_NEAR(one_fewer.seconds->median, 1e-3, 5e-5);
  EXPECT_THAT(note_texts(one_fewer.warnings), Contains(HasSubstr("by 7 of 8 threads, which is 1")));
  EXPECT_NEAR(run_with_threads({{8, 120}, {7, 70}, {4, 1}}).seconds->median, 0.12, 0.01);
}

TEST(Threads, AreChosenInShortCasesOfThresholds) {
  ThreadsRun second({{8, 3}, {7, 2}, {4, 1}});
  second.plan.config.measure.max_seconds = 1;
  EXPECT_NEAR(second.result().seconds->median, 1e-3, 5e-5);
}

TEST(Threads, AreAllWhereFewerAreNotClearlyFaster) {
  const CaseResult all = run_with_threads({{8, 1}, {7, 0.995}, {4, 1.5}});
  EXPECT_NEAR(all.seconds->median, 1e-3, 5e-5);
  EXPECT_THAT(note_texts(all.warnings), IsEmpty());
}

TEST(Threads, AreAllForUntunedCasesColdCachesAndWhatTakesTooLong) {
  const std::map<int, double> fewer_are_faster{{8, 3}, {7, 1}, {4, 1}};
  const auto expect_all = [](CaseResult all) {
    EXPECT_NEAR(all.seconds->median, 3e-3, 2e-4);
    EXPECT_THAT(note_texts(all.warnings), Not(Contains(HasSubstr("threads"))));
  };
  ThreadsRun given(fewer_are_faster);
  given.plan.fewer_threads.clear();
  expect_all(given.result());
  ThreadsRun untuned(fewer_are_faster);
  untuned.plan.config.cases[0].problem.parameters.set("tuned", false);
  expect_all(untuned.result());
  ThreadsRun cold(fewer_are_faster);
  cold.plan.config.measure.cold_cache = true;
  expect_all(cold.result());
  ThreadsRun short_case(fewer_are_faster);
  short_case.plan.config.measure.max_seconds = 0.1;
  expect_all(short_case.result());
  EXPECT_NEAR(run_with_threads({{8, 300}, {7, 1}, {4, 1}}).seconds->median, 0.3, 0.02);
}

/// A run whose first preparations take `seconds` each.
CaseResult run_after_slow_preparations(int count, double seconds) {
  ThreadsRun slow({{8, 3}, {7, 1}, {4, 1}});
  slow.machine.programs["/a"].fault = [&, count](const Request& request) mutable -> WrongAnswer {
    if (std::holds_alternative<request::Prepare>(request) && count-- > 0) slow.machine.time.sleep(seconds);
    return {};
  };
  return slow.result();
}

TEST(Threads, AreChosenThoughAProgramTakesLongForItsFirstCase) {
  EXPECT_THAT(run_after_slow_preparations(1, 0.5).seconds->samples, Each(Lt(1.1e-3)));
}

TEST(Threads, DoNotChangeFromOneVisitToTheNext) {
  EXPECT_THAT(run_after_slow_preparations(2, 0.5).seconds->samples, Each(Gt(2.5e-3)));
  EXPECT_THAT(run_after_slow_preparations(1, 2).seconds->samples, Each(Gt(2.5e-3)));
}

TEST(Threads, AreAllIfTheProgramFailsWithFewer) {
  const std::string refusal =
      to_line(Answer(answer::Refusal{.status = "out_of_memory", .reason = "too large"}));
  const WorkerLost crash{.status = Status::failed, .reason = "crashed"};
  for (const WrongAnswer& failure : {WrongAnswer(refusal), WrongAnswer(crash)}) {
    ThreadsRun fails({{8, 3}, {7, 1}, {4, 1}});
    int threads = 0;
    fails.machine.programs["/a"].fault = [&](const Request& request) -> WrongAnswer {
      if (const auto* prepare = std::get_if<request::Prepare>(&request)) threads = prepare->threads;
      return threads == 4 ? std::exchange(threads, 0), failure : std::nullopt;
    };
    const CaseResult all = fails.result();
    EXPECT_EQ(all.status, Status::ok) << all.reason;
    EXPECT_NEAR(all.seconds->median, 3e-3, 2e-4);
    EXPECT_FALSE(all.threads);
  }
}

TEST(Threads, OfAProgramThatHangsAreNotTimedTwice) {
  ThreadsRun hangs({{8, 1}, {7, 1}, {4, 1}});
  hangs.machine.programs["/a"].fault = [](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Sample>(request)) return {};
    return WorkerLost{.status = Status::timed_out, .reason = "no answer"};
  };
  const double start = hangs.machine.time.now();
  EXPECT_EQ(hangs.result().status, Status::timed_out);
  EXPECT_LT(hangs.machine.time.now() - start, 1.5 * hangs.plan.config.measure.timeout_seconds);
}

/// A hello of the scripted programs with another version from process number `first` on, of both together.
simulated::Fault other_version_from(int first, int& processes) {
  return [first, &processes](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Hello>(request)) return std::nullopt;
    answer::Hello hello;
    hello.name = "scripted";
    hello.version = ++processes >= first ? "2" : "1";
    hello.supports = {{"matmul", {"f32"}}};
    return to_line(hello);
  };
}

TEST(RunInSimulatedTime, AnotherProgramInALaterLaunchFailsTheCase) {
  Machine machine(5);
  int processes = 0;
  machine.programs["/a"].fault = other_version_from(3, processes);
  SessionPlan plan = plan_of({64, 128});
  plan.config.measure.launches = 5;
  const Result result = run(machine, plan);
  EXPECT_EQ(case_of(result, "a").status, Status::failed);
  EXPECT_THAT(case_of(result, "a").reason,
              HasSubstr("answered as another program in launch 3: version 1 -> 2"));
  EXPECT_EQ(case_of(result, "b").status, Status::ok);
  EXPECT_EQ(processes, 3) << "it is not started again";
}

TEST(RunInSimulatedTime, AnotherProgramAfterACrashFailsTheCase) {
  Machine machine(5);
  int processes = 0, samples = 0;
  const simulated::Fault hello = other_version_from(2, processes);
  machine.programs["/a"].fault = [&](const Request& request) -> WrongAnswer {
    if (std::holds_alternative<request::Sample>(request) && ++samples == 8)
      return WorkerLost{.status = Status::failed, .reason = "crashed"};
    return hello(request);
  };
  const Result result = run(machine, plan_of({64, 128, 256}));
  int failed = 0;
  for (const CaseResult& c : result.cases) {
    if (c.backend != "a" || c.status != Status::failed) continue;
    ++failed;
    if (c.reason == "crashed") continue;
    EXPECT_THAT(c.reason, HasSubstr("answered as another program when it was started again in launch 1"));
  }
  EXPECT_EQ(failed, 3);
}

/// Answers of another request: what a program that answers twice leads to.
TEST(RunInSimulatedTime, BrokenProtocolCostsOneCase) {
  Machine machine(6);
  int samples = 0;
  machine.programs["/a"].fault = [&](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Sample>(request) || ++samples != 8) return std::nullopt;
    return "{\"ok\":true}";
  };
  const Result result = run(machine, plan_of({64, 128, 256}));
  int failed = 0;
  for (const CaseResult& c : result.cases) failed += c.status == Status::failed ? 1 : 0;
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(machine.started, 4) << "it was started afresh";
}

/// Its case may fill the memory that the next program needs.
TEST(RunInSimulatedTime, WhatAProgramHasPreparedIsReleasedWhenItFails) {
  const auto sees_after_refusal = [](const auto& is_refused) {
    Machine machine(6);
    std::vector<std::string> requests;  // of both programs, from the refusal on
    for (const std::string name : {"a", "b"}) {
      machine.programs["/" + name].fault = [&, name](const Request& request) -> WrongAnswer {
        const bool refused = name == "a" && is_refused(request);
        const bool releases = std::holds_alternative<request::Release>(request);
        if (refused || !requests.empty())
          requests.push_back(name + (refused ? " refuses" : releases ? " releases" : ""));
        if (!refused) return std::nullopt;
        return to_line(answer::Refusal{.status = "out_of_memory", .reason = "no more"});
      };
    }
    const Result result = run(machine, plan_of({64}));
    EXPECT_EQ(case_of(result, "a").status, Status::out_of_memory);
    EXPECT_EQ(case_of(result, "b").status, Status::ok);
    requests.resize(std::min<std::size_t>(requests.size(), 2));
    return requests;
  };
  const auto verify = [](const Request& r) { return std::holds_alternative<request::Verify>(r); };
  const auto sample = [](const Request& r) { return std::holds_alternative<request::Sample>(r); };
  const auto prepare = [](const Request& r) { return std::holds_alternative<request::Prepare>(r); };
  EXPECT_THAT(sees_after_refusal(verify), testing::ElementsAre("a refuses", "a releases"));
  EXPECT_THAT(sees_after_refusal(sample), testing::ElementsAre("a refuses", "a releases"));
  EXPECT_THAT(sees_after_refusal(prepare), testing::ElementsAre("a refuses", "b"))
      << "nothing has been prepared";
}

/// Which backend is short of memory depends on the order, and says nothing of it.
TEST(RunInSimulatedTime, BackendsThatDoNotFitInMemoryTogetherAreMeasuredAlone) {
  Machine machine(3);
  for (const char* path : {"/a", "/b"}) machine.programs[path].memory = 0.6;
  machine.programs["/b"].seconds = 2e-3;
  const Result result = run(machine, plan_of({64, 128}));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(exit_status(result), 0);
  int alone = 0;
  for (const CaseResult& c : result.cases) {
    EXPECT_EQ(c.status, Status::ok) << c.reason;
    EXPECT_EQ(c.seconds->visits.size(), 2U);
    EXPECT_NEAR(c.seconds->median, c.backend == "a" ? 1e-3 : 2e-3, 5e-5);
    alone += static_cast<int>(std::ranges::count(c.warnings, NoteKind::measured_alone, &Note::kind));
  }
  EXPECT_EQ(alone, 2) << "one backend of each problem, said once";
  EXPECT_EQ(machine.held, 0);
}

TEST(RunInSimulatedTime, ABackendThatIsKilledForMemoryBesideAnotherIsMeasuredAlone) {
  Machine machine(3);
  int samples = 0;
  machine.programs["/a"].fault = [&](const Request& request) -> WrongAnswer {
    if (!std::holds_alternative<request::Sample>(request) || ++samples != 4) return std::nullopt;
    return WorkerLost{.status = Status::out_of_memory, .reason = "was killed by the kernel"};
  };
  const Result result = run(machine, plan_of({64}));
  EXPECT_EQ(case_of(result, "a").status, Status::ok) << case_of(result, "a").reason;
  EXPECT_EQ(case_of(result, "a").seconds->visits.size(), 2U);
  EXPECT_EQ(case_of(result, "b").status, Status::ok);
}

TEST(RunInSimulatedTime, ABackendThatNeedsMoreThanThereIsIsOutOfMemory) {
  Machine machine(3);
  machine.programs["/a"].memory = 1.2;
  const Result result = run(machine, plan_of({64}));
  EXPECT_EQ(case_of(result, "a").status, Status::out_of_memory);
  EXPECT_EQ(case_of(result, "b").status, Status::ok);
  EXPECT_EQ(exit_status(result), 4);
}

TEST(RunInSimulatedTime, AContinuedRunKeepsWhatWasRecordedBefore) {
  Machine slow(10);
  slow.disturbance = [](double) { return Disturbance{.own_speed = 0.6}; };
  Result earlier = run(slow, plan_of({64}));
  ASSERT_TRUE(earlier.machine_speed);
  earlier.warnings.push_back(quoted_note("of the earlier part"));
  Machine quiet(11);
  SessionPlan plan = plan_of({64, 128});
  plan.earlier = earlier;
  const Result result = run(quiet, plan);
  EXPECT_EQ(result.cases.size(), 4U);
  ASSERT_TRUE(result.machine_speed);
  EXPECT_GT(result.machine_speed->rounds, earlier.machine_speed->rounds);
  EXPECT_EQ(result.machine_speed->slow_rounds, earlier.machine_speed->slow_rounds);
  EXPECT_DOUBLE_EQ(result.machine_speed->lowest, 0.6);
  EXPECT_GT(result.machine_speed->median, 0.6);
  EXPECT_LT(result.machine_speed->median, 1);
  EXPECT_EQ(std::ranges::count(note_texts(result.warnings), "of the earlier part"), 1);
  std::vector<std::string> of_speed;
  for (const std::string& warning : note_texts(result.warnings)) {
    if (warning.starts_with("this machine was slowed")) of_speed.push_back(warning);
  }
  EXPECT_THAT(of_speed,
              testing::ElementsAre(HasSubstr(fmt::format(
                  "in {} of {} rounds", result.machine_speed->slow_rounds, result.machine_speed->rounds))))
      << "of both parts together";

  plan.config = simulated::config_of({64});
  const Result nothing_new = run(quiet, plan);
  EXPECT_EQ(nothing_new.machine_speed, earlier.machine_speed);
}

TEST(RunInSimulatedTime, AContinuedRunSaysThatItIsOfTwoCommits) {
  Machine machine(14);
  SessionPlan plan = plan_of({64});
  plan.commit = "aaaa";
  const Result earlier = run(machine, plan);
  EXPECT_EQ(earlier.tool_commit, "aaaa");
  plan = plan_of({64, 128});
  plan.earlier = earlier;
  const auto warning_with = [&](const std::string& commit) {
    plan.commit = commit;
    const Result result = run(machine, plan);
    EXPECT_EQ(result.tool_commit, commit == "aaaa" ? "aaaa" : "") << commit;
    const auto found = std::ranges::find(result.warnings, NoteKind::other_commit, &Note::kind);
    return found == result.warnings.end() ? "" : note_text(*found);
  };
  EXPECT_EQ(warning_with("bbbb"),
            "some cases are of an earlier run, by breakeven of commit aaaa, and the others by commit bbbb");
  EXPECT_EQ(warning_with("aaaa"), "");
  EXPECT_EQ(warning_with(""), "");
  plan.earlier->tool_commit.clear();
  plan.commit = "bbbb";
  EXPECT_EQ(run(machine, plan).tool_commit, "") << "the earlier cases may be of another";
}

TEST(RunInSimulatedTime, AProductFasterThanThePeakIsImplausible) {
  if (!optimised) GTEST_SKIP() << "the ceilings of such a build are no limits";
  Machine machine(12);
  machine.programs["/a"].cost = [](const Case& c) {
    return c.flop() / (c.workload->op() == "peak" ? 100e9 : 1000e9);
  };
  SessionPlan plan = plan_of({512});
  plan.config.cases.push_back(
      {.problem = make_case(*find_workload("peak"), {{"dtype", "f32"}}), .label = ""});
  plan.backends.resize(1);
  plan.backends.front().supports.push_back({"peak", {"f32"}});
  const Result result = run(machine, plan);
  ASSERT_EQ(result.cases.size(), 2U);
  const CaseResult& product = result.cases[0];
  EXPECT_EQ(product.status, Status::implausible) << product.reason;
  EXPECT_THAT(product.reason, HasSubstr("(by peak)"));
  EXPECT_FALSE(product.has_time());
  EXPECT_EQ(result.cases[1].status, Status::ok) << result.cases[1].reason;
  EXPECT_EQ(exit_status(result), 1);
  machine.programs["/a"].cost = [](const Case& c) { return c.flop() / 100e9; };
  EXPECT_EQ(exit_status(run(machine, plan)), 0);
}

/// Programs that train epochs of half a second: a is more accurate by a tenth after each, b stays at a third.
class TrainingInSimulatedTime : public testing::Test {
 protected:
  TrainingInSimulatedTime() {
    machine.programs["/a"].epoch = [](int epoch) {
      return answer::Epoch{
          .seconds = 0.5, .evaluation_seconds = 0, .accuracy = 0.6 + 0.1 * epoch, .losses = {2, 1}};
    };
    machine.programs["/b"].epoch = [](int) {
      return answer::Epoch{.seconds = 0.5, .evaluation_seconds = 0, .accuracy = 0.3, .losses = {2, 1}};
    };
  }

  Result trained(std::int64_t epochs, double target) {
    SessionPlan plan = plan_of({});
    plan.config.cases.push_back({.problem = make_case(*find_workload("train"), {{"network", "mlp"},
                                                                                {"batch", std::int64_t{64}},
                                                                                {"epochs", epochs},
                                                                                {"target_accuracy", target}}),
                                 .label = ""});
    for (BackendRecord& backend : plan.backends) backend.supports = {{"train", {"f32"}}};
    return run(machine, plan);
  }

  Machine machine{13};
};

TEST_F(TrainingInSimulatedTime, EndsForEachWhenItReachesTheTarget) {
  const Result result = trained(0, 0.75);
  const CaseResult& quick = case_of(result, "a");
  ASSERT_EQ(quick.status, Status::ok) << quick.reason;
  EXPECT_EQ(quick.training->epoch_accuracy.size(), 3U);
  EXPECT_DOUBLE_EQ(quick.training->seconds_to_accuracy.value(), 1.5);
  EXPECT_THAT(note_texts(quick.warnings), Not(Contains(HasSubstr("target accuracy"))));
  const CaseResult& never = case_of(result, "b");
  EXPECT_EQ(never.training->epoch_accuracy.size(), 100U) << "it is given up";
  EXPECT_FALSE(never.training->seconds_to_accuracy);
  EXPECT_THAT(note_texts(never.warnings), Contains("the target accuracy of 0.75 was not reached"));
}

TEST_F(TrainingInSimulatedTime, OfAFixedNumberOfEpochsGoesOnPastTheTarget) {
  const Result result = trained(4, 0.65);
  const CaseResult& quick = case_of(result, "a");
  EXPECT_EQ(quick.training->epoch_accuracy.size(), 4U);
  EXPECT_DOUBLE_EQ(quick.training->accuracy.value(), 0.9);
  EXPECT_DOUBLE_EQ(quick.training->seconds_to_accuracy.value(), 1.0);
  EXPECT_THAT(note_texts(case_of(result, "b").warnings),
              Contains("the target accuracy of 0.65 was not reached"));
}

/// Neither says how long its evaluation took, so that the driver's clock cannot tell.
TEST_F(TrainingInSimulatedTime, EpochsFarShorterThanTheirStepsInSamplesAreNotBelieved) {
  const auto epoch = [](double seconds, std::size_t steps) {
    return [=](int) {
      return answer::Epoch{.seconds = seconds,
                           .evaluation_seconds = 0,
                           .accuracy = 0.9,
                           .losses = std::vector<double>(steps, 2.0)};
    };
  };
  machine.programs["/a"].epoch = epoch(0.25, 1000);  // of 1 ms each
  machine.programs["/b"].epoch = epoch(0.5, 1000);   // as beside no neighbour
  const Result result = trained(1, 0);
  const CaseResult& liar = case_of(result, "a");
  EXPECT_EQ(liar.status, Status::failed);
  EXPECT_THAT(liar.reason,
              HasSubstr("reported 0.25 s for the 1000 steps of its epochs, which take at least"));
  EXPECT_EQ(case_of(result, "b").status, Status::ok) << case_of(result, "b").reason;
  machine.programs["/a"].epoch = epoch(0.25, 0);
  EXPECT_THAT(case_of(trained(1, 0), "a").reason, HasSubstr("gave no losses for an epoch"));
}

TEST(RunInSimulatedTime, AFullFileEndsTheRunAndKeepsWhatIsMeasured) {
  for (int full_at = 0; full_at < 3; ++full_at) {
    Machine machine(7);
    int saved = 0;
    const auto save = [&](const Result&, std::size_t) {
      if (saved++ == full_at) throw FileTooLarge("full");
    };
    const Instruments instruments = machine.instruments();
    const auto run_it = [&] {
      return run_session(
          plan_of({64, 128, 256}), save, [](const SessionProgress&) {}, instruments);
    };
    if (full_at == 0) {
      EXPECT_THROW(run_it(), FileTooLarge) << "before anything is measured";
      continue;
    }
    const Result result = run_it();
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(std::ranges::count(result.cases, Status::ok, &CaseResult::status), 2 * full_at);
    EXPECT_THAT(note_texts(result.warnings), Contains("the run ended early: full"));
  }
}

TEST(RunInSimulatedTime, InterruptionKeepsWhatIsMeasured) {
  std::size_t most = 0;
  for (int step = 1; step < 1000; step += 13) {
    Machine machine(7);
    const simulated::InterruptionAt interruption(machine, step);
    const Result result = run(machine, plan_of({64, 128}));
    if (!interruption.came()) break;
    ASSERT_EQ(result.cases.size(), 4U) << step;
    std::size_t measured = 0;
    for (const CaseResult& c : result.cases) {
      EXPECT_THAT(c.status, testing::AnyOf(Status::ok, Status::interrupted)) << step << " " << c.reason;
      measured += c.status == Status::ok ? 1 : 0;
      EXPECT_TRUE(c.seconds || c.status != Status::ok) << step;
    }
    EXPECT_EQ(result.complete, measured == 4) << step;
    EXPECT_GE(measured, most) << "what was measured before stays";
    most = measured;
  }
  EXPECT_EQ(most, 4U);
}

}  // namespace
}  // namespace breakeven
