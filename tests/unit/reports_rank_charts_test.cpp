#include <gmock/gmock.h>

#include "reports/html_rank.h"
#include "reports/charts/ranking_charts.h"
#include "reports/document/ranking_sentences.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
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
    Result run = sample::result(cases);
    run.host.name = factor > 1 ? "slow" : "fast";
    run.host.cpu = "CPU of " + run.host.name;
    run.backends = {sample::backend("onednn", true), sample::backend("cuda", false, "no driver")};
    all.push_back(run);
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<Chart>& all) {
  std::vector<std::string> names;
  for (const Chart& chart : all) names.push_back(chart.name);
  return names;
}

TEST(RankCharts, ShowEachQuantityThatIsKnownAndEachCase) {
  const std::vector<Result> results = two_machines();
  const Ranking ranking = rank_results(results, {});
  const std::vector<Chart> all = rank_charts(ranking);
  EXPECT_THAT(names_of(all), ElementsAre("ranking-time", "ranking-energy", "ranking-cases", "ranking-front"));
  EXPECT_THAT(all[0].categories, ElementsAre("CPU of fast, 2 cores", "CPU of slow, 2 cores"));
  EXPECT_TRUE(all[0].series[0].points[1].low);
  ASSERT_THAT(all[2].series, SizeIs(2));
  EXPECT_EQ(all[2].series[0].points[0].y, 1) << "the fastest is the measure";
  EXPECT_NEAR(all[2].series[1].points[0].y, 3, 1e-12);
  EXPECT_EQ(all[3].kind, Chart::Kind::points);
  EXPECT_EQ(all[3].series[0].label, "CPU of fast, 2 cores, on the Pareto front");
}

TEST(RankCharts, OfOneMachineAreNone) {
  const std::vector<Result> results{two_machines()[0]};
  EXPECT_THAT(names_of(rank_charts(rank_results(results, {}))), Not(Contains("ranking-time")));
}

TEST(RankSentences, NameTheFirstAndHowFarTheOthersAreBehind) {
  const std::vector<Result> results = two_machines();
  const std::vector<std::string> said = rank_sentences(rank_results(results, {}));
  ASSERT_THAT(said, SizeIs(1)) << "a front of one is the first";
  EXPECT_EQ(said[0], "CPU of fast, 2 cores takes the least time, CPU of slow, 2 cores 3.00x of that");
}

TEST(RankHtml, HasTheOrderTheCasesAndTheSoftware) {
  const std::vector<Result> results = two_machines();
  const std::string page = rank_html(rank_results(results, {}));
  for (const char* part :
       {"\"The order\"", "\"Case by case\"", "\"Software seen\"", "no driver", "ranking-front"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("\"Prices\"")));
}

}  // namespace
}  // namespace breakeven
