// A fleet's nodes beside one another: which are slower than their like, and why.
#include "verdicts/fleet.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "unit/verdicts_sample.h"

namespace breakeven {
namespace {

using testing::Contains;
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
  nodes.slow(4, 1.1);
  nodes.results[4].machine_speed->median_seconds["clock"] *= 1.1;
  const Fleet fleet = nodes.judged();
  ASSERT_EQ(slower(fleet), std::vector<std::string>{"node4"});
  const NodeStanding& worst = fleet.standings.front();
  EXPECT_NEAR(worst.ratio, 1.1, 0.02);
  EXPECT_LT(worst.interval.low, 1.1);
  EXPECT_GT(worst.interval.high, 1.1);
  EXPECT_EQ(worst.cases, 2U);
  EXPECT_EQ(worst.cause, "its clock takes 1.10x as long in the speed probe");
  EXPECT_EQ(exit_status(fleet), 1);
}

TEST(Fleet, NoneIsFoundWhereNoneIsPlantedAndASlowOneNearlyAlways) {
  constexpr int fleets = 500;
  int false_alarms = 0, found = 0;
  for (int seed = 0; seed < fleets; ++seed) {
    Nodes nodes(8, static_cast<std::uint64_t>(seed), 0.01);
    false_alarms += slower(nodes.judged()).empty() ? 0 : 1;
    nodes.slow(2, 1.1);
    found += slower(nodes.judged()) == std::vector<std::string>{"node2"} ? 1 : 0;
  }
  EXPECT_LE(false_alarms, fleets / 50 + 8) << "2 %, and what chance adds";
  EXPECT_GE(found, fleets * 9 / 10);
}

TEST(Fleet, TwoSlowNodesDoNotHideEachOther) {
  Nodes nodes(8);
  nodes.slow(1, 1.5);
  nodes.slow(6, 1.08);
  EXPECT_EQ(slower(nodes.judged()), (std::vector<std::string>{"node1", "node6"}));
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
  EXPECT_EQ(fleet.kinds[0].why_not, "");
  EXPECT_THAT(fleet.kinds[1].why_not, HasSubstr("2 of this kind, and at least 3 are needed"));
  EXPECT_EQ(exit_status(fleet), 4);
}

TEST(Fleet, NodesWithoutACommonCaseAreNotCompared) {
  Nodes nodes(3);
  for (std::size_t node = 0; node < 3; ++node) {
    for (CaseResult& c : nodes.results[node].cases) c.id += fmt::format("/{}", node);
  }
  const Fleet fleet = nodes.judged();
  EXPECT_TRUE(fleet.standings.empty());
  EXPECT_EQ(fleet.kinds.at(0).why_not, "no case was measured on all of them");
  EXPECT_EQ(fleet.not_compared.size(), 3U);
}

TEST(Fleet, CasesThatOneNodeCouldNotMeasureAreNamed) {
  Nodes nodes(5);
  CaseResult& hung = nodes.results[2].cases[1];
  hung.status = Status::timed_out;
  hung.seconds.reset();
  const Fleet fleet = nodes.judged();
  EXPECT_EQ(exit_status(fleet), 4);
  EXPECT_THAT(fleet.notes, testing::ElementsAre(
                               "node2: 1 case timed out, no time of 1 case that others of its kind have"));
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
  EXPECT_THAT(fleet.notes, testing::ElementsAre("node2: onednn is not available: libdnnl.so.3 is missing"))
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
  EXPECT_THAT(fleet.standings.front().cause, HasSubstr("kernel"));
  EXPECT_TRUE(fleet.not_compared.empty());
}

TEST(Fleet, TheTimesInsideAnAlgorithmsNameAreNoCause) {
  Nodes nodes(5);
  for (std::size_t node = 0; node < 5; ++node) {
    for (CaseResult& c : nodes.results[node].cases)
      c.algorithm = fmt::format("gemm; the other way took 1.{}x", node);
  }
  nodes.slow(2, 1.3);
  EXPECT_EQ(nodes.judged().standings.front().cause, "nothing that was recorded differs");
}

TEST(Fleet, HostsThatShareANameAreToldByTheirFiles) {
  Nodes nodes(3);
  for (Result& r : nodes.results) r.host.name = "vm";
  EXPECT_EQ(nodes.judged().nodes, (std::vector<std::string>{"file0.json", "file1.json", "file2.json"}));
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
    EXPECT_THAT(fleet.standings.front().cause, HasSubstr(cause.text)) << cause.name;
  }
}

}  // namespace
}  // namespace breakeven
