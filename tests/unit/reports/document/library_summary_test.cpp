#include <gmock/gmock.h>

#include <cmath>

#include "reports/document/standings.h"
#include "unit/reports_sample.h"

namespace breakeven::library_summary_test {
namespace {

using sample::product;
using testing::SizeIs;

/// The summary of the results of one machine, which need not outlive it.
LibrarySummary summary_of(std::vector<Result> results) {
  return summarise(compare_backends(Measurements(runs_of(results))), 0);
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
  EXPECT_EQ(average_sentence(summary), "On average oneDNN takes 1.6x and BLIS 1.8x as long as the fastest.")
      << "the leader is not always the fastest";
  EXPECT_EQ(gap_sentence(summary), "Largest gap: oneDNN, 256 x 256 x 256 f32, 4.0x.");
}

TEST(LibrarySummary, SaysWhereTheLeadIsShared) {
  const auto said = [](double wide) {
    return leader_sentence(summary_of({product("a", 64, 1), product("b", 64, 2), product("a", 128, 1, wide),
                                       product("b", 128, 1.05, 0.01)}));
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

TEST(LibrarySummary, SaysOverHowManyProblemsAMeanIs) {
  const LibrarySummary summary = summary_of({product("a", 64, 1), product("b", 64, 2), product("c", 64, 3),
                                             product("a", 128, 1), product("b", 128, 2)});
  EXPECT_EQ(average_sentence(summary),
            "On average b takes 2.0x and c 3.0x (over 1 of 2) as long as the fastest.");
  EXPECT_EQ(mean_limits(summary.backends[1], summary), "");
  EXPECT_EQ(mean_limits(summary.backends[2], summary), "over 1 of 2");
}

TEST(LibrarySummary, SaysHowFarTheOthersAreBehind) {
  std::vector<CaseResult> cases{product("a", 64, 1)};
  for (const char* backend : {"b", "c", "d", "e"})
    cases.push_back(product(backend, 64, backend[0] - 'a' + 1));
  EXPECT_EQ(average_sentence(summary_of(cases)),
            "On average b takes 2.0x, c 3.0x, d 4.0x and e 5.0x as long as the fastest.");
  cases.push_back(product("f", 64, 6));
  EXPECT_EQ(average_sentence(summary_of(cases)),
            "On average b takes 2.0x, c 3.0x, d 4.0x and others up to 6.0x as long as the fastest.");
}

TEST(LibrarySummary, MarksWhatRestsOnFewSamples) {
  const LibrarySummary summary = summary_of(
      {product("a", 64, 1), product("b", 64, 9, std::nullopt), product("a", 128, 1), product("b", 128, 1.5)});
  EXPECT_EQ(average_sentence(summary), "On average b takes ~3.7x as long as the fastest.");
  EXPECT_EQ(mean_limits(summary.backends[1], summary), "few samples");
  EXPECT_EQ(gap_sentence(summary), "Largest gap: b, 64 x 64 x 64 f32, ~9.0x.");
}

TEST(LibrarySummary, CountsWhatWasInterrupted) {
  const auto interrupted = [](const char* backend, std::int64_t m) {
    return sample::refused(product(backend, m, 1), Status::interrupted, "interrupted");
  };
  std::vector<CaseResult> cases{product("a", 64, 1),   product("b", 64, 2),   product("a", 128, 1),
                                interrupted("b", 128), interrupted("a", 256), interrupted("b", 256)};
  EXPECT_EQ(leader_sentence(summary_of(cases)),
            "a is the fastest for 1 of 3 matrix products; the others were not measured.");
  for (const char* backend : {"a", "b"}) cases.push_back(product(backend, 512, backend[0] == 'a' ? 1 : 2));
  EXPECT_EQ(leader_sentence(summary_of(cases)),
            "a is the fastest for all 2 matrix products that were measured (of 4).");
  cases.push_back(interrupted("a", 1024));
  EXPECT_EQ(summary_of(cases).not_measured, 2U) << "one backend alone would not be compared";
}

TEST(LibrarySummary, SaysWhatWentWrongTheWorstFirst) {
  const std::vector<CaseResult> cases{
      sample::refused(product("a", 64, 1), Status::failed, "killed"),
      sample::refused(product("onednn", 64, 1), Status::wrong, "0 is 1"),
      product("onednn", 128, 1),
      sample::refused(product("onednn", 256, 1), Status::unsupported, "no"),
      sample::refused(product("blis", 64, 1), Status::wrong, "0 is 1"),
      sample::refused(product("blis", 128, 1), Status::implausible, "too fast")};
  const LibrarySummary summary = summary_of(cases);
  EXPECT_THAT(
      trouble_sentences(summary),
      testing::ElementsAre("BLIS computes wrong results for 1 of 2 matrix products, oneDNN for 1 of 2.",
                           "BLIS has impossibly short times for 1 of 2 matrix products.",
                           "a failed for 1 of 1 matrix products."));
  EXPECT_EQ(wrong_text(summary, "onednn"), "wrong for 1 of 2");
  EXPECT_EQ(wrong_text(summary, "a"), "");
  EXPECT_EQ(wrong_text(summary, "blis"), "wrong for 1 of 2, impossibly short for 1 of 2");
  EXPECT_THAT(backends_with(summary, Status::wrong), testing::ElementsAre("BLIS", "oneDNN"));
  EXPECT_THAT(backends_with(summary, Status::implausible), testing::ElementsAre("BLIS"));
}

TEST(LibrarySummary, AFailureThatDidNotRecurIsNone) {
  const Result failed = sample::result({sample::refused(product("a", 64, 1), Status::failed, "killed"),
                                        sample::refused(product("b", 64, 1), Status::wrong, "0 is 1")});
  const Result again = sample::result({product("a", 64, 1), product("b", 64, 1)});
  EXPECT_THAT(trouble_sentences(summary_of({failed, again})),
              testing::ElementsAre("b computes wrong results for 1 of 1 matrix products."));
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
