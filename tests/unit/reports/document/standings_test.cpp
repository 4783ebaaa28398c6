#include "reports/document/standings.h"

#include <gmock/gmock.h>

#include <limits>

#include "unit/reports_sample.h"

namespace breakeven::standings_test {
namespace {

using sample::of_launches;
using sample::product;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

std::vector<ProblemGroup> compared(const std::vector<Result>& results) {
  return compare_backends(Measurements(runs_of(results)));
}

/// The standings of the backends for the only problem.
std::vector<std::string> standings(std::vector<CaseResult> cases) {
  const std::vector<Result> results{sample::result(std::move(cases))};
  std::vector<std::string> texts;
  const auto groups = compared(results);
  for (const Entry& entry : groups.at(0).problems.at(0).entries)
    texts.push_back(entry.result->backend + ": " + describe_standing(entry));
  return texts;
}

TEST(Standings, AreByTimeAndDoubtWhatIntervalsDoNotShow) {
  EXPECT_THAT(standings({product("slow", 64, 1.8), of_launches(6, product("close", 64, 1.004, 0.005)),
                         of_launches(6, product("first", 64, 1, 0.005)), product("wide", 64, 1.1, 0.15)}),
              ElementsAre("first: fastest", "close: as fast (within 3 %)",
                          "wide: not distinguishable (at most 1.3x)", "slow: 1.8x slower (1.7x to 1.9x)"));
}

TEST(Standings, AreByTheLatencyOfSingleCallsIfThatIsAsked) {
  const auto infers = [](const char* backend, double seconds, double latency) {
    CaseResult c = sample::inference(backend, 8, seconds);
    c.latency = Latency{.p50 = latency, .p99 = latency, .count = 100};
    return c;
  };
  std::vector<Result> results{sample::result(
      {infers("onednn", 1e-3, 3e-3), infers("openblas", 2e-3, 1e-3), infers("blis", 3e-3, 1.1e-3)})};
  const auto texts = [&] {
    std::vector<std::string> all;
    const auto groups = compare_backends(Measurements(runs_of(results)), Focus::latency);
    for (const Entry& entry : groups.at(0).problems.at(0).entries)
      all.push_back(entry.result->backend + ": " + describe_standing(entry));
    return all;
  };
  EXPECT_THAT(texts(),
              ElementsAre("openblas: fastest", "blis: not distinguishable (~1.1x)", "onednn: ~3.0x slower"));
  results[0].cases[2].latency.reset();
  EXPECT_EQ(texts().at(0), "onednn: fastest") << "without a latency of each, by time";
}

TEST(Standings, ARatioWhoseIntervalHasNo1IsADifferenceHoweverSmall) {
  EXPECT_THAT(standings({of_launches(100, product("a", 64, 1, 0.001)),
                         of_launches(100, product("b", 64, 1.015, 0.001))}),
              ElementsAre("a: fastest", "b: 1.5 % slower (1.1 to 1.9 %)"));
  EXPECT_THAT(standings({product("a", 64, 1, 0.05), product("b", 64, 1.8, 0.05)}),
              ElementsAre("a: fastest", "b: 1.8x slower (1.7x to 1.9x)"));
}

TEST(Standings, OneLaunchLeavesOpenWhatLaunchesDifferBy) {
  EXPECT_THAT(standings({product("a", 64, 1, 0.001), product("b", 64, 1.03, 0.001)}),
              ElementsAre("a: fastest", "b: not distinguishable (at most 1.07x)"));
  EXPECT_THAT(
      standings({of_launches(5, product("a", 64, 1, 0.001)), of_launches(5, product("b", 64, 1.03, 0.001))}),
      ElementsAre("a: fastest", "b: 3 % slower (1.3 to 4.7 %)"));
}

/// With more backends, one of them is more often the fastest by chance.
TEST(Standings, TheMoreBackendsTheMoreCertainADifferenceMustBe) {
  std::vector<CaseResult> cases{of_launches(5, product("a", 64, 1, 0.001)),
                                of_launches(5, product("b", 64, 1.02, 0.001))};
  EXPECT_EQ(standings(cases)[1], "b: 2 % slower (0.4 to 3.7 %)");
  for (const char* name : {"c", "d", "e"}) cases.push_back(of_launches(5, product(name, 64, 2, 0.001)));
  EXPECT_EQ(standings(cases)[1], "b: not distinguishable (at most 1.04x)");
}

/// One rule for the word and the interval beside it. Skewed intervals stay skewed.
TEST(Standings, ARatioWhoseIntervalContains1IsNoDifference) {
  const auto within = [](CaseResult result, double low, double high) {
    result.seconds->ci_low = low;
    result.seconds->ci_high = high;
    return result;
  };
  EXPECT_THAT(standings({within(product("a", 64, 1), 0.99, 1.3), product("b", 64, 1.2, 0.01)}),
              ElementsAre("a: fastest", "b: not distinguishable (at most 1.2x)"))
      << "1.2 is in the interval of a";
  EXPECT_THAT(standings({within(product("a", 64, 1), 0.7, 1.01), within(product("b", 64, 1.2), 1.1, 1.8)}),
              ElementsAre("a: fastest", "b: 1.2x slower (1.09x to 2.1x)"));
  EXPECT_THAT(standings({of_launches(100, product("a", 64, 1, 0.03)),
                         of_launches(100, product("b", 64, 1.05, 0.03))}),
              ElementsAre("a: fastest", "b: 5 % slower (0.6 to 9.6 %)"))
      << "the intervals of the times overlap";
}

TEST(Standings, WithoutIntervalsADifferenceIsMarkedUncertain) {
  EXPECT_THAT(standings({product("a", 64, 1), product("b", 64, 1.5, std::nullopt)}),
              ElementsAre("a: fastest", "b: ~1.5x slower"));
  EXPECT_THAT(standings({product("a", 64, 1), product("b", 64, 1.1, std::nullopt)}),
              ElementsAre("a: fastest", "b: not distinguishable (~1.1x)"))
      << "noise may be as large";
}

TEST(Standings, OnlyOneIsNotCalledFastest) {
  EXPECT_THAT(
      standings({sample::refused(product("b", 64, 1), Status::unsupported, "no"), product("a", 64, 1)}),
      ElementsAre("a: only one", "b: "));
}

TEST(Standings, WhatIsWrongOrHasNoTimeHasNone) {
  CaseResult wrong = product("wrong", 64, 0.1);
  wrong.status = Status::wrong;
  EXPECT_THAT(standings({wrong, product("nan", 64, std::numeric_limits<double>::quiet_NaN()),
                         product("zero", 64, 0), product("a", 64, 1), product("b", 64, 2)}),
              ElementsAre("a: fastest", testing::StartsWith("b: 2.0x slower"), "wrong: ", "nan: ", "zero: "));
}

TEST(Standings, GroupByOperationInOrderOfAppearance) {
  const std::vector<Result> results{sample::result(
      {product("a", 128, 1), sample::training("a"), product("a", 64, 1), product("b", 128, 2)})};
  const auto groups = compared(results);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].problems, ElementsAre(Field(&Problem::title, "128 x 128 x 128 f32"),
                                              Field(&Problem::title, "64 x 64 x 64 f32")));
  EXPECT_THAT(groups[0].problems[0].entries, SizeIs(2));
  EXPECT_EQ(groups[1].op, "train_future");
}

TEST(Standings, AreWithinAMachine) {
  const std::vector<Result> results{sample::result({product("a", 64, 1)}),
                                    sample::result({product("b", 64, 2)}),
                                    sample::on_machine("other", sample::result({product("a", 64, 2)}))};
  const auto groups = compared(results);
  ASSERT_THAT(groups, SizeIs(1));
  ASSERT_THAT(groups[0].problems, SizeIs(2));
  EXPECT_THAT(groups[0].problems[0].entries, SizeIs(2)) << "two files of one machine are ranked together";
  EXPECT_EQ(groups[0].problems[0].entries[1].run, &results[1]);
  EXPECT_THAT(groups[0].problems[1].entries, ElementsAre(Field(&Entry::standing, Standing::alone)));
}

}  // namespace
}  // namespace breakeven::standings_test
