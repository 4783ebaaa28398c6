// Tests how cases are divided into shards: each case once, about equally long, and alike on every machine.
#include "plan/shards.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "unit/temporary_folder.h"

namespace breakeven::plan_shards_test {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;

using Shards = std::vector<std::vector<std::size_t>>;

Config deepbench() {
  const std::filesystem::path configs = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs";
  return read_configs({configs / "deepbench-gemm.json", configs / "deepbench-conv.json"});
}

std::vector<std::int64_t> costs_of(const Config& config) {
  std::vector<std::int64_t> costs;
  for (const PlannedCase& c : config.cases)
    costs.push_back(estimated_microseconds(c.problem, config.measure));
  return costs;
}

std::vector<std::string> ids_of(const Config& config) {
  std::vector<std::string> ids;
  for (const PlannedCase& c : config.cases) ids.push_back(c.problem.id());
  return ids;
}

std::int64_t estimate(const char* op, const Parameters& given, const Measure& measure = {}) {
  return estimated_microseconds(make_case(*find_workload(op), given), measure);
}

std::int64_t product(std::int64_t size, const Measure& measure = {}) {
  return estimate("matmul", {{"m", size}, {"n", size}, {"k", size}, {"dtype", "f32"}}, measure);
}

std::int64_t training(const Parameters& more) {
  Parameters given{{"network", "mlp"}, {"batch", 64}, {"dtype", "f32"}};
  for (const auto& [name, value] : more.entries()) given.set(name, value);
  return estimate("train", given);
}

TEST(Shards, TheMostExpensiveCaseGoesToTheShardWithTheLeast) {
  const std::vector<std::int64_t> costs{3, 5, 4, 3, 3};
  EXPECT_THAT(divide_into_shards(costs, 2), ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2, 4)));
}

TEST(Shards, EqualCasesAreDistributedInTurn) {
  const std::vector<std::int64_t> costs(5, 7);
  EXPECT_THAT(divide_into_shards(costs, 2), ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3)));
}

TEST(Shards, WithoutCasesAreEmpty) {
  EXPECT_THAT(divide_into_shards({}, 2), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(Shards, HaveEachCaseOnceInItsOrder) {
  const auto costs = costs_of(deepbench());
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, costs.size() - 1, costs.size()}) {
    std::vector<std::size_t> together;
    for (const auto& shard : divide_into_shards(costs, count)) {
      EXPECT_THAT(shard, Not(IsEmpty())) << count;
      EXPECT_TRUE(std::ranges::is_sorted(shard)) << count;
      together.insert(together.end(), shard.begin(), shard.end());
    }
    std::ranges::sort(together);
    std::vector<std::size_t> all(costs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(together, all) << count;
  }
}

TEST(Shards, OfDeepBenchTakeAboutEquallyLong) {
  const auto costs = costs_of(deepbench());
  EXPECT_EQ(costs.size(), 614U);
  for (const std::size_t count : {2U, 3U, 4U, 8U, 16U}) {
    std::vector<std::int64_t> sums;
    for (const auto& shard : divide_into_shards(costs, count)) {
      sums.push_back(0);
      for (const std::size_t i : shard) sums.back() += costs[i];
    }
    const auto total = static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}));
    const double mean = total / static_cast<double>(count);
    EXPECT_LT(static_cast<double>(std::ranges::max(sums)), 1.15 * mean) << count;
  }
}

/// Another processor or compiler must give the same numbers, or machines would divide a config differently. A
/// change of the model changes them.
TEST(Shards, AreTheSameOnEveryMachine) {
  EXPECT_EQ(product(64), 751588);
  EXPECT_EQ(product(1024), 1493690);
  const auto costs = costs_of(deepbench());
  std::string text;
  for (const auto& shard : divide_into_shards(costs, 8)) {
    for (const std::size_t i : shard) text += std::to_string(i) + " ";
  }
  EXPECT_EQ(fingerprint_of({text}), "2af8656430f101e2");
}

TEST(EstimatedTime, GrowsWithTheWork) {
  EXPECT_THAT(product(256), Gt(product(64)));
  EXPECT_THAT(product(4096), Gt(2 * product(64)));
  EXPECT_THAT(product(3000), Gt(product(2900))) << "although races of long calls have fewer of them";
  EXPECT_THAT(estimate("read", {{"bytes", std::int64_t{1} << 30U}, {"dtype", "f32"}}),
              Gt(estimate("read", {{"bytes", 4096}, {"dtype", "f32"}})));
}

TEST(EstimatedTime, OfSamplesHasTheLimitOfTheConfig) {
  EXPECT_THAT(product(64, {.max_seconds = 0.1}), Lt(product(64)));
  EXPECT_EQ(product(64, {.max_seconds = 100}), product(64)) << "precise before";
  EXPECT_THAT(product(64, {.launches = 5}), Gt(2 * product(64)));
}

TEST(EstimatedTime, OfTrainingCountsItsEpochs) {
  EXPECT_THAT(training({{"epochs", 2}}), Gt(training({})));
  EXPECT_THAT(training({{"epochs", 20}}), Gt(training({{"epochs", 2}})));
  EXPECT_THAT(training({{"target_accuracy", 0.9}}), Gt(training({})));
}

TEST(EstimatedTime, OfTheLargestCasesIsBounded) {
  const std::int64_t most = 1 << 23;
  const std::int64_t days = estimate("matmul", {{"m", most}, {"n", most}, {"k", most}, {"dtype", "f32"}});
  EXPECT_THAT(days, Gt(100'000'000'000));
  EXPECT_LE(days, 1'000'000'000'000);
}

TEST(EstimatedTime, IsKnownForEveryWorkload) {
  for (const auto& workload : workloads()) {
    for (Parameters given : workload->examples()) {
      given.set("dtype", std::string("f32"));
      std::optional<Case> problem;
      try {
        problem = make_case(*workload, given);
      } catch (const InvalidCase&) {  // not in f32
        continue;
      }
      EXPECT_THAT(estimated_microseconds(*problem, {}), Gt(0)) << problem->id();
    }
  }
}

TEST(KeptShard, HasItsCasesAndTheirPositions) {
  const Config all = deepbench();
  const auto ids = ids_of(all);
  Config shard = all;
  keep_shard(shard, {.number = 3, .count = 8});
  ASSERT_TRUE(shard.shard);
  EXPECT_EQ(shard.shard->shard.text(), "3/8");
  EXPECT_EQ(shard.shard->cases, ids.size());
  EXPECT_EQ(shard.shard->fingerprint, fingerprint_of(ids));
  std::vector<std::string> expected;
  for (const std::size_t position : shard.shard->positions) expected.push_back(ids.at(position));
  EXPECT_EQ(ids_of(shard), expected);
  EXPECT_EQ(shard.json, all.json);
}

}  // namespace
}  // namespace breakeven::plan_shards_test
