#include "reports/charts/ranking_charts.h"

#include <gmock/gmock.h>

#include <cmath>

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
    c.joules = 1 << (9 - i);  // all of them are on the Pareto front
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

/// In the unit of the table, and not in seconds or millionths of a dollar.
TEST(RankCharts, ShowTheMetricOfTheRankingFirst) {
  const std::vector<Result> results = two_machines();
  RankOptions options;
  options.by = Metric::cost;
  options.prices = Prices{.currency = "USD", .offers = {}, .electricity = {}};
  for (const char* device : {"CPU of fast", "CPU of slow"}) {
    Offer& offer = options.prices->offers.emplace_back();
    offer.device = offer.name = device;
    offer.per_hour = 2;
    offer.from.currency = "USD";
  }
  const std::vector<Chart> all = rank_charts(rank_results(results, options));
  EXPECT_THAT(names(all), ElementsAre("ranking-cost", "ranking-time", "ranking-energy", "ranking-cases",
                                      "ranking-front"));
  EXPECT_EQ(all[0].title, "Cases for 1 USD; more is better");
  EXPECT_EQ(all[0].y.label, "cases for 1 USD");
  EXPECT_FALSE(all[0].less_is_better);
  const ChartPoint& first = all[0].series.at(0).points.at(0);
  EXPECT_NEAR(first.y, 1800 / std::sqrt(64.0 * 128.0), 1e-9);
  EXPECT_LT(first.low.value(), first.y);
  EXPECT_EQ(all[1].y.unit, ChartUnit::seconds);
}

TEST(RankCharts, OfOneMachineHaveNoOrder) {
  const std::vector<Result> results{two_machines()[0]};
  EXPECT_THAT(names(rank_charts(rank_results(results, {}))), testing::Not(testing::Contains("ranking-time")));
}

}  // namespace
}  // namespace breakeven::ranking_charts_test
