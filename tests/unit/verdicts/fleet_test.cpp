// A fleet's nodes beside one another: which are slower than their like, and why.
#include "verdicts/fleet.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "reports/words/notes.h"
#include "unit/texts_of_files.h"
#include "unit/verdicts_sample.h"

namespace breakeven {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// Nodes of one kind with two cases each, whose times vary by `noise` from node to node and from case to
/// case.
class Nodes {
 public:
  explicit Nodes(std::size_t count, std::uint64_t seed = 1, double noise = 0.004) : generator_(seed) {
    std::normal_distribution<double> varied(0, noise);
    for (std::size_t node = 0; node < count; ++node) {
      Result r = sample::result({});
      r.host.name = fmt::format("node{}", node);
      r.host.cores = 16;
      r.host.kernel = "Linux 6.1";
      r.backends = {sample::backend("openblas", true)};
      r.machine_speed = MachineSpeed{.rounds = 10, .slow_rounds = 0};
      r.machine_speed->median_seconds = {{"clock", 1e-5}, {"throughput", 1e-4}, {"memory", 2e-4}};
      const double of_node = std::exp(varied(generator_));
      for (const std::int64_t m : {64, 128}) {
        CaseResult c = sample::product("openblas", m, 1);
        c.seconds->median = 1e-3 * static_cast<double>(m) * of_node * std::exp(varied(generator_));
        r.cases.push_back(c);
      }
      results.push_back(std::move(r));
    }
  }

  void slow(std::size_t node, double factor) {
    for (CaseResult& c : results[node].cases) c.seconds->median *= factor;
  }

  Fleet judged() const {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < results.size(); ++i) files.push_back(fmt::format("file{}.json", i));
    return judge_fleet(results, files, {});
  }

  std::vector<Result> results;

 private:
  std::mt19937_64 generator_;
};

std::vector<std::string> slower(const Fleet& fleet) {
  std::vector<std::string> names;
  for (const NodeStanding& standing : fleet.standings) {
    if (standing.is_slower) names.push_back(fleet.nodes[standing.node]);
  }
  return names;
}

TEST(Fleet, ASlowNodeIsFoundWithItsCause) {
  Nodes nodes(6);
  nodes.slow(4, 1.2);
  nodes.results[4].machine_speed->median_seconds["clock"] *= 1.2;
  const Fleet fleet = nodes.judged();
  ASSERT_EQ(slower(fleet), std::vector<std::string>{"node4"});
  const NodeStanding& worst = fleet.standings.front();
  EXPECT_NEAR(worst.ratio, 1.2, 0.02);
  EXPECT_LT(worst.interval.low, 1.2);
  EXPECT_GT(worst.interval.high, 1.2);
  EXPECT_EQ(worst.cases, 2U);
  EXPECT_EQ(reasons_text(worst.cause), "its clock takes 1.20x as long in the speed probe");
  EXPECT_EQ(exit_status(fleet), 1);
}

TEST(Fleet, NoneIsFoundWhereNoneIsPlantedAndASlowOneNearlyAlways) {
  constexpr int fleets = 500;
  int false_alarms = 0, found = 0;
  for (int seed = 0; seed < fleets; ++seed) {
    Nodes nodes(8, static_cast<std::uint64_t>(seed), 0.01);
    false_alarms += slower(nodes.judged()).empty() ? 0 : 1;
    nodes.slow(2, 1.4);
    found += slower(nodes.judged()) == std::vector<std::string>{"node2"} ? 1 : 0;
  }
  EXPECT_LE(false_alarms, fleets / 50 + 8) << "2 %, and what chance adds";
  EXPECT_GE(found, fleets * 9 / 10);
}

/// A fleet with a test of each of twelve backends, whose times vary by `noise` from node to node. The first
/// `slow` nodes take `factor` times as long, on all backends or on the first one.
struct TwelveTests {
  std::size_t nodes = 8;
  std::size_t slow = 1;
  double factor = 1;
  bool is_everywhere = false;
  double noise = 0.01;
  std::size_t runs = 1;  // of each node
  double threshold = 0.03;

  Fleet judged(int seed) const {
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> varied(0, noise);
    std::vector<Result> results;
    std::vector<std::string> files;
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t run = 0; run < runs; ++run) {
        files.push_back(fmt::format("{}-{}.json", node, run));
        Result& result = results.emplace_back(sample::result({}));
        result.host.name = fmt::format("node{}", node);
        result.created = fmt::format("2026-11-01T{:02}:00:00Z", run);
        result.sampling = Sampling{.wall_seconds = 60};
        for (int backend = 0; backend < 12; ++backend) {
          const bool is_slow = node < slow && (is_everywhere || backend == 0);
          const double seconds = 1e-3 * std::exp(varied(generator)) * (is_slow ? factor : 1);
          result.cases.push_back(sample::product(fmt::format("b{}", backend), 64, seconds));
        }
      }
    }
    return judge_fleet(results, files, {.threshold = threshold});
  }
};

/// How many of the nodes made slow are found on the first backend, or on any where they are slow on all.
std::size_t found_slow(const Fleet& fleet, const TwelveTests& made, bool is_probable_enough) {
  std::set<std::size_t> found;
  for (const NodeStanding& s : fleet.standings) {
    if (s.node < made.slow && (made.is_everywhere || s.backend == "b0") &&
        (s.is_slower || (is_probable_enough && s.is_probably_slower)))
      found.insert(s.node);
  }
  return found.size();
}

/// The number of fleets in which all nodes made slow are found.
int fleets_with_all_found(const TwelveTests& made, bool is_probable_enough, int fleets) {
  int count = 0;
  for (int seed = 0; seed < fleets; ++seed)
    count += found_slow(made.judged(seed), made, is_probable_enough) == made.slow ? 1 : 0;
  return count;
}

/// Noise of more than the threshold, which does not protect then.
TEST(SlowFleet, OfFleetsWithoutASlowNodeATenthAtMostIsInconclusive) {
  constexpr int fleets = 300;
  for (const std::size_t nodes : {3, 5, 12}) {
    const TwelveTests alike{.nodes = nodes, .slow = 0, .factor = 1, .is_everywhere = false, .noise = 0.04};
    int slow = 0, inconclusive = 0;
    for (int seed = 0; seed < fleets; ++seed) {
      const int status = exit_status(alike.judged(seed));
      slow += status == 1 ? 1 : 0;
      inconclusive += status == 3 ? 1 : 0;
    }
    EXPECT_LE(slow, fleets / 50 + 7) << nodes << ": 2 %, and what chance adds";
    EXPECT_LE(slow + inconclusive, fleets / 10 + 15) << nodes << ": 10 %, and what chance adds";
  }
}

TEST(SlowFleet, BesideSlowNodesTheOthersAreCalledSlowerInTwoPercentOfFleetsAtMost) {
  constexpr int fleets = 150;
  for (const std::size_t slow : {1, 2, 3}) {
    const TwelveTests made{.nodes = 8, .slow = slow, .factor = 100, .is_everywhere = true, .noise = 0.04};
    int wrong = 0;
    for (int seed = 0; seed < fleets; ++seed) {
      const Fleet fleet = made.judged(seed);
      wrong += std::ranges::any_of(fleet.standings,
                                   [&](const NodeStanding& s) { return s.node >= made.slow && s.is_slower; });
    }
    EXPECT_LE(wrong, fleets / 50 + 5) << slow << ": 2 %, and what chance adds";
  }
}

/// Some rows of the table in docs/cluster.md: in nine of ten fleets, all slow nodes are found to be slower,
/// or at least probably slower.
TEST(SlowFleet, ADifferenceOfTheDocumentedSizeIsFound) {
  constexpr int fleets = 100;
  constexpr int least = fleets * 9 / 10 - 8;  // what chance takes
  struct Row {
    std::size_t nodes, runs, slow;
    double slower_in_one, probably_in_one, slower_in_all, probably_in_all;
  };
  const std::vector<Row> rows{{5, 1, 1, 2.5, 1.7, 1.5, 1.2},    {8, 1, 1, 1.7, 1.4, 1.4, 1.15},
                              {8, 1, 3, 2, 2, 1.4, 1.3},        {5, 2, 1, 1.2, 1.12, 1.1, 1.05},
                              {8, 2, 3, 1.15, 1.1, 1.07, 1.05}, {8, 3, 1, 1.07, 1.05, 1.04, 1.03}};
  for (const Row& row : rows) {
    const auto found = [&](double factor, bool is_everywhere, bool is_probable_enough) {
      const TwelveTests made{.nodes = row.nodes,
                             .slow = row.slow,
                             .factor = factor,
                             .is_everywhere = is_everywhere,
                             .noise = 0.01,
                             .runs = row.runs,
                             .threshold = 0};
      return fleets_with_all_found(made, is_probable_enough, fleets);
    };
    EXPECT_GE(found(row.slower_in_one, false, false), least) << row.slow << " of " << row.nodes;
    EXPECT_GE(found(row.probably_in_one, false, true), least) << row.slow << " of " << row.nodes;
    EXPECT_GE(found(row.slower_in_all, true, false), least) << row.slow << " of " << row.nodes;
    EXPECT_GE(found(row.probably_in_all, true, true), least) << row.slow << " of " << row.nodes;
  }
}

TEST(Fleet, OfThreeNodesThatVaryTheSlowOneIsProbablySlower) {
  const Fleet fleet =
      TwelveTests{.nodes = 3, .slow = 1, .factor = 2.0, .is_everywhere = true, .noise = 0.01}.judged(1);
  EXPECT_EQ(exit_status(fleet), 3);
  const NodeStanding& worst = fleet.standings.front();
  EXPECT_EQ(worst.node, 0U);
  EXPECT_TRUE(worst.is_probably_slower);
  EXPECT_FALSE(worst.is_slower);
  EXPECT_GT(worst.slower_from, worst.ratio);
  EXPECT_EQ(reasons_text(worst.cause), "nothing that was recorded differs");
}

TEST(Fleet, ANodeBecomesSlowerAtTheRatioThatWasGiven) {
  const auto of_node_2 = [](const Fleet& fleet) {
    return *std::ranges::find(fleet.standings, 2U, &NodeStanding::node);
  };
  const NodeStanding before = of_node_2(Nodes(6, 3, 0.01).judged());
  ASSERT_TRUE(before.slower_from.has_value());
  for (const auto& [factor, is_slower] : {std::pair(0.99, false), std::pair(1.01, true)}) {
    Nodes nodes(6, 3, 0.01);
    nodes.slow(2, *before.slower_from / before.ratio * factor);
    EXPECT_EQ(of_node_2(nodes.judged()).is_slower, is_slower);
  }
}

TEST(Fleet, SlowNodesDoNotHideEachOther) {
  Nodes nodes(8);
  nodes.slow(1, 1.5);
  nodes.slow(6, 1.2);
  EXPECT_EQ(slower(nodes.judged()), (std::vector<std::string>{"node1", "node6"}));
  for (const auto& [count, slow] : {std::pair(8, 2), std::pair(8, 3), std::pair(5, 2), std::pair(16, 3)}) {
    Nodes equal(static_cast<std::size_t>(count));
    for (int node = 0; node < slow; ++node) equal.slow(static_cast<std::size_t>(node), 2);
    const Fleet fleet = equal.judged();
    EXPECT_EQ(slower(fleet).size(), static_cast<std::size_t>(slow)) << count;
    EXPECT_NEAR(fleet.standings.front().ratio, 2, 0.05) << "beside the nodes that are not slow";
    EXPECT_EQ(exit_status(fleet), 1);
    equal.results.erase(equal.results.begin(), equal.results.begin() + slow);
    const Fleet others = equal.judged();
    EXPECT_EQ(fleet.standings.back().ratio, others.standings.back().ratio);
    EXPECT_EQ(fleet.standings.back().slower_from, others.standings.back().slower_from)
        << "the slow nodes do not count";
  }
}

/// Their spread would make the others seem to vary.
TEST(Fleet, NodesThatAreProbablySlowerDoNotHideEachOther) {
  const Fleet fleet =
      TwelveTests{.nodes = 8, .slow = 2, .factor = 1.28, .is_everywhere = false, .noise = 0.01}.judged(4);
  EXPECT_EQ(exit_status(fleet), 3);
  for (const std::size_t first : {0U, 1U}) {
    EXPECT_TRUE(fleet.standings[first].is_probably_slower);
    EXPECT_LT(fleet.standings[first].node, 2U);
    EXPECT_GT(fleet.standings[first].interval.low, 1);
    EXPECT_GT(fleet.standings[first].slower_from, fleet.standings[first].ratio);
    EXPECT_LT(fleet.standings[first].slower_from, 2.5);
  }
}

/// Either half may be the slow one.
TEST(Fleet, HalfOfTheNodesCannotBeSlow) {
  Nodes nodes(4);
  nodes.slow(0, 2);
  nodes.slow(1, 2);
  const Fleet fleet = nodes.judged();
  EXPECT_EQ(exit_status(fleet), 0);
  EXPECT_GT(fleet.standings.front().slower_from, 2);
}

/// How many of 200 fleets of eight alike nodes have a slower one, if one launch of twenty takes 5 % longer.
int fleets_with_a_slow_launch(std::size_t launches) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> varied(0, 0.003);
  std::bernoulli_distribution is_slow(0.05);
  int wrong = 0;
  for (int fleet = 0; fleet < 200; ++fleet) {
    std::vector<Result> results;
    std::vector<std::string> files;
    for (int node = 0; node < 8; ++node) {
      std::vector<double> seconds;
      for (std::size_t i = 0; i < launches; ++i)
        seconds.push_back(1e-3 * std::exp(varied(generator)) * (is_slow(generator) ? 1.05 : 1));
      files.push_back(fmt::format("{}.json", node));
      results.push_back(sample::result({sample::product("b", 64, median(seconds))}));
    }
    wrong += exit_status(judge_fleet(results, files, {})) == 1 ? 1 : 0;
  }
  return wrong;
}

/// The figures of docs/cluster.md.
TEST(SlowFleet, SeveralLaunchesOutvoteASlowOne) {
  EXPECT_NEAR(fleets_with_a_slow_launch(1), 200 * 0.16, 20);
  EXPECT_NEAR(fleets_with_a_slow_launch(3), 200 * 0.05, 10);
  EXPECT_LE(fleets_with_a_slow_launch(5), 200 * 0.01 + 4);
}

TEST(Fleet, ANodeOfOneLaunchIsMarked) {
  Nodes nodes(6);
  nodes.slow(4, 1.2);
  EXPECT_TRUE(nodes.judged().standings.front().has_one_launch);
  for (Result& r : nodes.results) {
    for (CaseResult& c : r.cases) c.seconds->launches = {1, 1, 1};
  }
  EXPECT_FALSE(nodes.judged().standings.front().has_one_launch);
}

TEST(Fleet, NodesOfOtherKindsAreNotCompared) {
  Nodes nodes(5);
  for (const std::size_t other : {3, 4}) {
    nodes.results[other].host.cores = 8;
    nodes.slow(other, 2);
  }
  const Fleet fleet = nodes.judged();
  EXPECT_TRUE(slower(fleet).empty());
  ASSERT_EQ(fleet.kinds.size(), 2U);
  EXPECT_THAT(fleet.kinds[0].why_not, testing::IsEmpty());
  EXPECT_THAT(reasons_text(fleet.kinds[1].why_not), HasSubstr("2 of this kind, and at least 3 are needed"));
  EXPECT_EQ(exit_status(fleet), 4);
}

/// `compare` refuses such pairs.
TEST(Fleet, NodesMeasuredWithOtherThreadsOrCachesAreOfAnotherKind) {
  Nodes nodes(8);
  for (Result& r : nodes.results) r.host.threads = 16;
  nodes.results[2].host.threads = 8;
  nodes.results[5].config = R"({"measure": {"cache": "cold"}})";
  for (const std::size_t other : {2, 5}) nodes.slow(other, 2);
  const Fleet fleet = nodes.judged();
  EXPECT_TRUE(slower(fleet).empty());
  ASSERT_EQ(fleet.kinds.size(), 3U);
  const std::string name = fleet.kinds[0].name;
  EXPECT_THAT(name, testing::EndsWith("16 cores")) << "one thread per core goes without saying";
  EXPECT_EQ(fleet.kinds[1].name, name + ", 8 threads");
  EXPECT_EQ(fleet.kinds[2].name, name + ", cold caches");
}

TEST(Fleet, NodesWithoutACommonCaseAreNotCompared) {
  Nodes nodes(3);
  for (std::size_t node = 0; node < 3; ++node) {
    for (CaseResult& c : nodes.results[node].cases) c.id += fmt::format("/{}", node);
  }
  const Fleet fleet = nodes.judged();
  EXPECT_TRUE(fleet.standings.empty());
  EXPECT_EQ(reasons_text(fleet.kinds.at(0).why_not), "no case was measured on all of them");
  EXPECT_EQ(fleet.not_compared.size(), 3U);
}

TEST(Fleet, CasesThatOneNodeCouldNotMeasureAreNamed) {
  Nodes nodes(5);
  CaseResult& hung = nodes.results[2].cases[1];
  hung.status = Status::timed_out;
  hung.seconds.reset();
  const Fleet fleet = nodes.judged();
  EXPECT_EQ(exit_status(fleet), 4);
  EXPECT_THAT(note_texts(fleet.notes), ElementsAre("node2: 1 case timed out",
                                                   "node2: no time of 1 case that others of its kind have"));
}

TEST(Fleet, ABackendThatCouldNotStartOnOneNodeIsNamed) {
  Nodes nodes(5);
  for (Result& r : nodes.results) r.backends.push_back(sample::backend("jax", false, "not installed"));
  Result& broken = nodes.results[2];
  broken.backends.push_back(sample::backend("onednn", false, "libdnnl.so.3 is missing"));
  for (const std::size_t other : {0, 1, 3, 4}) {
    nodes.results[other].backends.push_back(sample::backend("onednn", true));
    nodes.results[other].cases.push_back(
        sample::product("onednn", 64, 1e-3 + 1e-6 * static_cast<double>(other)));
  }
  const Fleet fleet = nodes.judged();
  EXPECT_THAT(note_texts(fleet.notes),
              testing::ElementsAre("node2: onednn is not available: libdnnl.so.3 is missing"))
      << "jax is nowhere";
  EXPECT_EQ(exit_status(fleet), 4);
}

/// No node has a time that the others could lack.
TEST(Fleet, ACaseThatIsBadOnEveryNodeIsNoSuccess) {
  for (const auto& [status, expected] :
       {std::pair(Status::timed_out, 4), std::pair(Status::wrong, 1), std::pair(Status::implausible, 1)}) {
    Nodes nodes(4);
    for (Result& r : nodes.results) {
      r.cases[1].status = status;
      r.cases[1].seconds.reset();
    }
    const Fleet fleet = nodes.judged();
    EXPECT_EQ(exit_status(fleet), expected) << name(status);
    EXPECT_EQ(fleet.notes.size(), 4U);
  }
}

TEST(Fleet, OfThreeNodesTheSlowOneIsFoundWithItsCause) {
  Nodes nodes(3, 1, 1e-4);
  nodes.slow(1, 1.5);
  nodes.results[1].host.kernel = "Linux 5.4";
  const Fleet fleet = nodes.judged();
  ASSERT_EQ(slower(fleet), std::vector<std::string>{"node1"});
  EXPECT_THAT(reasons_text(fleet.standings.front().cause), HasSubstr("kernel"));
  EXPECT_TRUE(fleet.not_compared.empty());
}

TEST(Fleet, TheTimesInsideAnAlgorithmsNameAreNoCause) {
  Nodes nodes(5);
  for (std::size_t node = 0; node < 5; ++node) {
    for (CaseResult& c : nodes.results[node].cases)
      c.algorithm = fmt::format("gemm; the other way took 1.{}x", node);
  }
  nodes.slow(2, 1.3);
  EXPECT_EQ(reasons_text(nodes.judged().standings.front().cause), "nothing that was recorded differs");
}

TEST(Fleet, HostsThatShareANameAreToldByTheirFiles) {
  Nodes nodes(3);
  for (Result& r : nodes.results) r.host.name = "vm";
  EXPECT_EQ(nodes.judged().nodes, (std::vector<std::string>{"file0.json", "file1.json", "file2.json"}));
}

/// Two runs of each of four nodes, one after the other.
Nodes measured_twice() {
  Nodes nodes(8, 2);
  for (std::size_t i = 0; i < 8; ++i) {
    nodes.results[i].host.name = fmt::format("node{}", i % 4);
    nodes.results[i].created = i < 4 ? "2026-11-01T12:00:00Z" : "2026-11-01T13:00:00Z";
    nodes.results[i].sampling = Sampling{.wall_seconds = 600};
  }
  return nodes;
}

TEST(Fleet, FilesOfOneMachineAreItsRuns) {
  const Fleet fleet = measured_twice().judged();
  EXPECT_EQ(fleet.nodes, (std::vector<std::string>{"node0", "node1", "node2", "node3"}));
  for (const NodeStanding& standing : fleet.standings) EXPECT_EQ(standing.runs, 2U);
  EXPECT_THAT(note_texts(fleet.notes),
              ElementsAre("files of one machine are its runs: node0 (2 files), node1 (2 files), node2 (2 "
                          "files) and node3 (2 files)"));
  EXPECT_THAT(to_json_text(fleet), HasSubstr("\"runs\": 2"));
}

TEST(Fleet, FilesThatCannotBeRunsOfOneMachineAreNodes) {
  const auto count = [](const std::function<void(Result&)>& change) {
    Nodes nodes = measured_twice();
    change(nodes.results[4]);
    return nodes.judged().nodes.size();
  };
  EXPECT_EQ(count([](Result& r) { r.created = "2026-11-01T12:09:00Z"; }), 5U) << "while node0 was measured";
  EXPECT_EQ(count([](Result& r) { r.created = ""; }), 5U);
  EXPECT_EQ(count([](Result& r) { r.created = "2026-11-01T11:00:00Z"; }), 4U) << "before the other one";
  EXPECT_EQ(count([](Result& r) { r.host.gpus.emplace_back().id = "GPU-2"; }), 5U);
  EXPECT_EQ(count([](Result& r) { r.host.threads = 3; }), 5U);
}

TEST(Fleet, WithoutTheTimeThatARunTookItMayOverlap) {
  Nodes nodes = measured_twice();
  for (Result& run : nodes.results) run.sampling.reset();
  EXPECT_EQ(nodes.judged().nodes.size(), 8U);
}

TEST(Fleet, OneNodeMayHaveMoreRunsThanOthers) {
  Nodes nodes = measured_twice();
  nodes.results.erase(nodes.results.begin() + 5, nodes.results.end());
  nodes.slow(1, 3);
  const Fleet fleet = nodes.judged();
  EXPECT_EQ(fleet.nodes.size(), 4U);
  EXPECT_EQ(fleet.standings.front().node, 1U);
}

/// Times of a coarse clock.
TEST(Fleet, OfNodesWithEqualTimesALittleSlowerOneIsNotFound) {
  Nodes nodes(3, 1, 0);
  nodes.slow(2, 1.04);
  EXPECT_NE(exit_status(nodes.judged()), 1);
}

TEST(Fleet, ANodeIsSlowerOnlyIfItIsInAllOfItsRuns) {
  Nodes once = measured_twice();
  once.slow(5, 3);
  EXPECT_EQ(exit_status(once.judged()), 0) << "one slow run of node1";
  once.slow(1, 3);
  EXPECT_EQ(slower(once.judged()), std::vector<std::string>{"node1"});
}

TEST(Fleet, WhatALaterRunLacksIsNamedByItsFile) {
  Nodes nodes = measured_twice();
  nodes.results[6].cases[0].status = Status::timed_out;
  EXPECT_THAT(note_texts(nodes.judged().notes), Contains(HasSubstr("file6.json: 1 case timed out")));
}

struct Cause {
  const char* name;
  std::function<void(Result&)> set;
  std::string text;
};

TEST(Fleet, EachCauseIsNamed) {
  const auto on_gpu = [](Result& r) {
    DeviceConditions device;
    device.pcie_generation = 5;
    device.pcie_width = 16;
    r.backends.front().device = "gpu";
    r.backends.front().device_id = "GPU-" + r.host.name;
    r.host.gpus.assign(1, Gpu());
    r.host.gpus.front().id = r.backends.front().device_id;
    r.host.gpus.front().name = "H100";
    r.host.gpus.front().driver = "2.0";
    for (CaseResult& c : r.cases) c.conditions.device = device;
  };
  const std::vector<Cause> causes{
      {"nothing", [](Result&) {}, "nothing that was recorded differs"},
      {"neighbour", [](Result& r) { r.machine_speed->median = 0.6; },
       "it ran at 60 % of its own speed: something shares its cores"},
      {"library", [](Result& r) { r.backends.front().version = "0.9"; }, "different version of openblas"},
      {"kernel", [](Result& r) { r.host.kernel = "Linux 5.4"; }, "kernel"},
      {"driver",
       [&](Result& r) {
         on_gpu(r);
         r.host.gpus.front().driver = "1.0";
       },
       "different GPU driver"},
      {"throttled",
       [&](Result& r) {
         on_gpu(r);
         r.cases.front().conditions.device->throttled_seconds["thermal"] = 100;
       },
       "its GPU lowered its clocks (thermal)"},
      {"link",
       [&](Result& r) {
         on_gpu(r);
         for (CaseResult& c : r.cases) c.conditions.device->pcie_width = 8;
       },
       "its GPU's link has 8 lanes, not 16"},
      {"link's generation",
       [&](Result& r) {
         on_gpu(r);
         for (CaseResult& c : r.cases) c.conditions.device->pcie_generation = 3;
       },
       "its GPU's link is of PCIe generation 3, not 5"},
      {"memory errors",
       [&](Result& r) {
         on_gpu(r);
         r.cases.front().conditions.device->ecc_errors = 2;
       },
       "its GPU had 2 uncorrected memory errors"},
      {"throughput", [](Result& r) { r.machine_speed->median_seconds["throughput"] *= 1.18; },
       "its arithmetic takes 1.18x as long in the speed probe"},
      {"memory", [](Result& r) { r.machine_speed->median_seconds["memory"] *= 1.15; },
       "its memory takes 1.15x as long in the speed probe"},
      {"a part that explains less than half",
       [](Result& r) { r.machine_speed->median_seconds["memory"] *= 1.05; },
       "nothing that was recorded differs"}};
  for (const Cause& cause : causes) {
    Nodes nodes(5);
    if (cause.text.find("GPU") != std::string::npos) {  // each with an id of its own
      for (Result& r : nodes.results) on_gpu(r);
    }
    cause.set(nodes.results[0]);
    nodes.slow(0, 1.2);
    const Fleet fleet = nodes.judged();
    ASSERT_EQ(slower(fleet), std::vector<std::string>{"node0"}) << cause.name;
    EXPECT_THAT(reasons_text(fleet.standings.front().cause), HasSubstr(cause.text)) << cause.name;
  }
}

}  // namespace
}  // namespace breakeven
