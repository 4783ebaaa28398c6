#include <gmock/gmock.h>

#include <cmath>

#include "reports/document/standings.h"
#include "unit/reports_sample.h"
#include "verdicts/machines.h"

namespace breakeven::library_summary_test {
namespace {

using sample::product;
using testing::SizeIs;

/// The summary of the results of one machine, which need not outlive it.
LibrarySummary summary_of(std::vector<Result> results) {
  return summarise(compare_backends(runs_of(results)), machine_key(results.front().host));
}

LibrarySummary summary_of(std::vector<CaseResult> cases) {
  return summary_of(std::vector<Result>{sample::result(std::move(cases))});
}

TEST(LibrarySummary, HasTheMostOftenAheadFirstAndMeansOverTheFastest) {
  const LibrarySummary summary = summary_of(
      {product("blis", 64, 3), product("onednn", 64, 1), product("onednn", 128, 1), product("blis", 128, 2),
       product("onednn", 256, 4), product("blis", 256, 1), product("blis", 512, 1)});
  EXPECT_EQ(summary.problems, 3U) << "one alone is no comparison";
  ASSERT_THAT(summary.backends, SizeIs(2));
  EXPECT_EQ(summary.leader().backend, "onednn");
  EXPECT_EQ(summary.leader().fastest, 2U);
  EXPECT_NEAR(summary.backends[1].mean_ratio, std::cbrt(6), 1e-9);
  EXPECT_EQ(leader_sentence(summary), "oneDNN is the fastest for 2 of 3 matrix products.");
  EXPECT_EQ(average_sentence(summary), "On average BLIS takes 1.8x as long as the fastest.");
  EXPECT_EQ(gap_sentence(summary), "Largest gap: oneDNN, 256 x 256 x 256 f32, 4.0x.");
}

TEST(LibrarySummary, SaysWhereTheLeadIsShared) {
  const auto said = [](double wide) {
    return leader_sentence(summary_of({product("a", 64, 1), product("b", 64, 2), product("a", 128, 1, wide),
                                       product("b", 128, 1.02, 0.01)}));
  };
  EXPECT_EQ(said(0.1), "a is the fastest for 1 of 2 matrix products and shares the lead in 1 more.");
  EXPECT_EQ(said(0.001), "a is the fastest for all 2 matrix products.");
  const std::vector<CaseResult> close{product("a", 64, 1), product("b", 64, 1.001)};
  EXPECT_EQ(leader_sentence(summary_of(close)),
            "No library is ahead alone; a shares the lead in 1 of 1 matrix products.");
  EXPECT_EQ(gap_sentence(summary_of(close)), "");
}

/// a is never ahead alone, but more often ahead than b, which is.
TEST(LibrarySummary, ALeaderThatOnlySharesIsNotAloneInThat) {
  std::vector<CaseResult> cases{product("b", 64, 1), product("a", 64, 3), product("c", 64, 4)};
  for (const std::int64_t m : {128, 256}) {
    cases.push_back(product("a", m, 1));
    cases.push_back(product("c", m, 1.01));
    cases.push_back(product("b", m, 2));
  }
  const LibrarySummary summary = summary_of(cases);
  EXPECT_EQ(summary.leader().backend, "a");
  EXPECT_EQ(leader_sentence(summary), "a shares the lead in 2 of 3 matrix products; b is the fastest for 1.");
}

TEST(LibrarySummary, TakesOneResultOfEachLibrary) {
  const Result once = sample::result({product("a", 64, 1), product("b", 64, 2)});
  const LibrarySummary twice = summary_of({once, once});
  EXPECT_EQ(twice.problems, 1U);
  EXPECT_EQ(twice.leader().fastest, 1U) << "it shares no lead with itself";
  EXPECT_EQ(twice.leader().shares, 0U);
  EXPECT_EQ(twice.backends[1].problems, 1U);
  const Result alone = sample::result({product("a", 64, 1)});
  EXPECT_EQ(summary_of({alone, alone}).problems, 0U);
}

TEST(LibrarySummary, OfNothingToCompareSaysNothing) {
  const LibrarySummary none =
      summary_of({product("a", 64, 1), sample::refused(product("b", 64, 1), Status::failed, "no")});
  EXPECT_EQ(none.problems, 0U);
  EXPECT_EQ(leader_sentence(none), "");
  EXPECT_EQ(average_sentence(none), "");
  EXPECT_EQ(gap_sentence(none), "");
}

}  // namespace
}  // namespace breakeven::library_summary_test
