#include "reports/charts/ranking_charts.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven::ranking_charts_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// Two machines, the second three times as fast as the first and at 1 J a second.
std::vector<Result> two_machines() {
  std::vector<Result> all;
  for (const double factor : {3.0, 1.0}) {
    std::vector<CaseResult> cases;
    for (const std::int64_t m : {64, 128}) {
      cases.push_back(sample::product("onednn", m, factor * static_cast<double>(m)));
      cases.back().joules = static_cast<double>(m);
    }
    all.push_back(sample::on_machine(factor > 1 ? "slow" : "fast", sample::result(cases)));
    all.back().backends = {sample::backend("onednn", true)};
  }
  return all;
}

std::vector<std::string> names(const std::vector<Chart>& all) {
  std::vector<std::string> made;
  for (const Chart& chart : all) made.push_back(chart.name);
  return made;
}

TEST(RankCharts, ShowEachQuantityThatIsKnownAndEachCase) {
  const std::vector<Result> results = two_machines();
  const std::vector<Chart> all = rank_charts(rank_results(results, {}));
  ASSERT_THAT(names(all), ElementsAre("ranking-time", "ranking-energy", "ranking-cases", "ranking-front"));
  EXPECT_THAT(all[0].categories, ElementsAre("CPU of fast, 2 cores", "CPU of slow, 2 cores"));
  EXPECT_TRUE(all[0].series.at(0).points.at(1).low);
  ASSERT_THAT(all[2].series, SizeIs(2));
  EXPECT_EQ(all[2].series[0].points.at(0).y, 1) << "the fastest is the measure";
  EXPECT_NEAR(all[2].series[1].points.at(0).y, 3, 1e-12);
  EXPECT_EQ(all[3].kind, Chart::Kind::points);
  EXPECT_EQ(all[3].series.at(0).label, "CPU of fast, 2 cores, on the Pareto front");
}

TEST(RankCharts, OfManyMachinesShowTheFirstAndSayWhatIsLeftOut) {
  std::vector<Result> results;
  for (int i = 8; i > 0; --i) {
    CaseResult c = sample::product("onednn", 64, i);
    c.joules = 9 - i;  // all of them are on the Pareto front
    results.push_back(sample::on_machine("m" + std::to_string(i), sample::result({c})));
    results.back().backends = {sample::backend("onednn", true)};
  }
  const std::vector<Chart> all = rank_charts(rank_results(results, {}));
  ASSERT_THAT(names(all), ElementsAre("ranking-time", "ranking-energy", "ranking-cases", "ranking-front"));
  for (const Chart& chart : all) EXPECT_TRUE(chart.less_is_better) << chart.name;
  EXPECT_EQ(all[0].note, "");
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_THAT(all[i].series, SizeIs(6)) << all[i].name;
    EXPECT_THAT(all[i].series.at(0).label, testing::StartsWith("CPU of m1, 2 cores"));
    EXPECT_EQ(all[i].note, "2 more machines are left out.");
  }
}

TEST(RankCharts, OfOneMachineHaveNoOrder) {
  const std::vector<Result> results{two_machines()[0]};
  EXPECT_THAT(names(rank_charts(rank_results(results, {}))), testing::Not(testing::Contains("ranking-time")));
}

}  // namespace
}  // namespace breakeven::ranking_charts_test
