// Tests the document of a gate or a comparison, and the findings on each case.
#include <gmock/gmock.h>

#include "reports/document/builders.h"
#include "reports/document/verdict_findings.h"
#include "unit/document_texts.h"
#include "unit/verdicts_sample.h"

namespace breakeven::verdicts_document_test {
namespace {

using sample::incomparable;
using sample::verdict_of;
using sample::verdicts;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string_view> kinds(const Verdicts& of) {
  std::vector<std::string_view> all;
  for (const CaseVerdict* c : worst_first(of)) all.push_back(name(finding_kind(*c)));
  return all;
}

/// The cells of a column of the table of findings; empty without that table.
std::vector<std::string> findings(const Verdicts& of, const std::string& column) {
  const Document document = document_of(of);
  const auto& tables = document.cards.at(0).tables;
  return tables.size() < 2 ? std::vector<std::string>() : column_texts(tables[1], column);
}

// ---- findings

TEST(VerdictFindings, AreTheWorstFirst) {
  const Verdicts of = sample::one_of_each_verdict();
  EXPECT_THAT(kinds(of), ElementsAre("wrong", "incomparable", "missing", "slower", "slower", "inconclusive",
                                     "faster", "new"));
  EXPECT_EQ(worst_first(of)[3]->ratio->value, 2) << "of those slower the slowest";
  const Verdicts faster =
      verdicts({verdict_of(Verdict::faster, 1, 0.9), verdict_of(Verdict::faster, 2, 0.5)});
  EXPECT_EQ(worst_first(faster)[0]->ratio->value, 0.5);
}

TEST(VerdictFindings, AreThoseThatTheExitStatusCounts) {
  for (const Presence presence : {Presence::both, Presence::only_base, Presence::only_head}) {
    for (int v = 0; v < 5; ++v) {
      for (int base = 0; base < 8; ++base) {
        for (int head = 0; head < 8; ++head) {
          CaseVerdict c;
          c.presence = presence;
          c.verdict = static_cast<Verdict>(v);
          c.base_status = static_cast<Status>(base);
          c.head_status = static_cast<Status>(head);
          const Verdicts of = verdicts({c});
          EXPECT_EQ(finding_kind(c) <= FindingKind::inconclusive || !compares_any(of), exit_status(of) != 0)
              << name(presence) << " " << name(c.verdict) << " " << name(c.base_status) << " "
              << name(c.head_status);
          EXPECT_EQ(headline(of).starts_with("PASS"), exit_status(of) == 0) << headline(of);
        }
      }
    }
  }
}

TEST(VerdictFindings, AreCountedInTheHeadline) {
  EXPECT_EQ(headline(sample::one_of_each_verdict()),
            "FAIL: 1 of 10 cases computes wrong results, 2 are slower. 1 incomparable, 1 missing, 1 "
            "inconclusive, 1 "
            "faster, 1 new, 1 the same, 1 unsupported.");
  EXPECT_EQ(headline(verdicts({verdict_of(Verdict::same, 3, 1)})),
            "PASS: none of 1 case is slower. 1 the same.");
  EXPECT_EQ(headline(verdicts({verdict_of(Verdict::slower, 3, 2)})), "FAIL: 1 of 1 case is slower.");
  EXPECT_EQ(headline(verdicts({incomparable(3, "why"), verdict_of(Verdict::inconclusive, 4, 1)})),
            "NOT COMPARABLE: 1 of 2 cases cannot be compared. 1 incomparable, 1 inconclusive.");
  EXPECT_EQ(headline(verdicts({verdict_of(Verdict::inconclusive, 4, 1)})),
            "INCONCLUSIVE: 1 of 1 case is not clear, none is shown to be slower. 1 inconclusive.");
  EXPECT_EQ(headline(verdicts({})), "No case was compared: there is none.");
  CaseVerdict added = incomparable(3, "");
  added.presence = Presence::only_head;
  EXPECT_EQ(headline(verdicts({added})), "No case was compared: 1 new.");
}

TEST(VerdictFindings, DescribeChangesAndWhatElse) {
  CaseVerdict c = verdict_of(Verdict::slower, 4, 1.053);
  c.ratio = Ratio{.value = 1.053, .low = 1.041, .high = 1.066};
  EXPECT_EQ(describe_change(c), "+5.3 % (+4.1 to +6.6 %)");
  EXPECT_EQ(describe_details(c), "");
  EXPECT_EQ(describe_case(c), "matmul 4 x 4 x 4 f32 on openblas");
  c.ratio.reset();
  c.head_seconds = 0.02;
  EXPECT_THAT(describe_change(c), testing::MatchesRegex("\\+100(\\.0)? % by medians alone"));
  EXPECT_EQ(describe_times(c), "10.0 ms → 20.0 ms");
  c.base_seconds.reset();
  EXPECT_EQ(describe_change(c), "");
  EXPECT_EQ(describe_times(c), "? → 20.0 ms");
  c.base_status = Status::out_of_memory;
  c.reasons = {quoted_note("why")};
  c.base_algorithm = "avx2";
  c.head_algorithm = "sse";
  c.notes = {quoted_note("one"), quoted_note("two")};
  EXPECT_EQ(describe_details(c), "base out of memory; why; other algorithm: avx2 → sse");
  EXPECT_EQ(describe_notes(c), "one; two");
}

TEST(VerdictFindings, DescribeSides) {
  Side side;
  side.source = "build";
  EXPECT_EQ(describe_side(side), "build");
  side.backend = "onednn";
  side.environment = {{"A", "1"}, {"B", "2"}};
  EXPECT_EQ(describe_side(side), "build:onednn (A=1 B=2)");
  side.name = "502af31 \"A product\"";
  EXPECT_EQ(describe_side(side), "502af31 \"A product\" (A=1 B=2)");
}

// ---- the document

TEST(VerdictsDocument, HasTheHeadlineTheSidesAndEveryCase) {
  Verdicts of = sample::one_of_each_verdict();
  of.warnings = {quoted_note("noisy")};
  of.notes = {"cuda is here, too"};
  of.complete = false;
  of.base.backends = {sample::backend("openblas", true), sample::backend("cuda", false, "no driver")};
  const Document made = document_of(of);
  ASSERT_THAT(made.cards, SizeIs(1));
  const Card& card = made.cards[0];
  EXPECT_EQ(made.about, "host · A CPU · 1 November 2026 · breakeven 0.1.0");
  EXPECT_EQ(card.short_answer, "FAIL");
  EXPECT_EQ(made.title, headline(of));
  EXPECT_EQ(made.tone, Tone::bad);
  EXPECT_THAT(texts(card.answer), ElementsAre(HasSubstr("Over the 5 cases compared, the mean change is +"),
                                              HasSubstr("This holds for this machine's processor (A CPU).")));
  EXPECT_THAT(column_texts(card.tables.at(0), "from"), ElementsAre("base.json", "head.json"));
  EXPECT_THAT(column_texts(card.tables.at(0), "software"), ElementsAre("openblas 0.1.0", ""));
  EXPECT_THAT(card.details.at(0).rows, SizeIs(10));
  EXPECT_THAT(texts(made.notes),
              ElementsAre("It ended before every case was decided.", "noisy", "cuda is here, too"));
  EXPECT_THAT(all_text(card),
              HasSubstr("A change of less than 3 % does not matter here (--threshold).\nBy the book."));
}

TEST(VerdictsDocument, HoldsForTheDevicesOfWhatChanged) {
  CaseVerdict on_gpu = verdict_of(Verdict::slower, 3, 2, "cuda");
  on_gpu.device = "gpu";
  Verdicts of = verdicts({on_gpu, verdict_of(Verdict::same, 4, 1)});
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device_name = "NVIDIA H100";
  of.head.backends = {cuda};
  const auto answer = [&] { return texts(document_of(of).cards.at(0).answer); };
  EXPECT_THAT(answer(), Contains(HasSubstr("This holds for this machine's GPU (NVIDIA H100). Another")));
  of.cases[1].verdict = Verdict::faster;
  EXPECT_THAT(answer(),
              Contains(HasSubstr("holds for this machine's processor (A CPU) and GPU (NVIDIA H100).")));
  of.cases = {verdict_of(Verdict::same, 4, 1)};
  EXPECT_THAT(answer(), Not(Contains(HasSubstr("This holds"))));
}

/// The number of threads of one side is not a condition of both.
TEST(VerdictsDocument, EachSideHasItsOwnThreadsAndEnvironment) {
  Verdicts of = sample::one_of_each_verdict();
  of.host.threads = of.head.threads = 1;
  of.base.threads = 2;
  of.head.environment = {{"A", "1"}};
  const Document made = document_of(of);
  EXPECT_THAT(made.about, Not(HasSubstr("thread")));
  EXPECT_THAT(column_texts(made.cards.at(0).tables.at(0), "from"),
              ElementsAre("base.json", "head.json (A=1)"));
  EXPECT_THAT(column_texts(made.cards.at(0).tables.at(0), "threads"), ElementsAre("2", "1"));
  ASSERT_THAT(made.folds, SizeIs(2));
  EXPECT_THAT(texts(made.folds[0].sentences), Contains(HasSubstr("2 threads")));
  EXPECT_THAT(texts(made.folds[0].sentences), Not(Contains(HasSubstr("A=1"))));
  EXPECT_THAT(texts(made.folds[1].sentences), Contains(HasSubstr("1 thread")));
  EXPECT_THAT(texts(made.folds[1].sentences), Contains(HasSubstr("A=1")));
}

TEST(VerdictsDocument, TonesAreThoseOfTheExitStatus) {
  const auto tone = [](const CaseVerdict& c) { return document_of(verdicts({c})).tone; };
  EXPECT_EQ(tone(verdict_of(Verdict::same, 3, 1)), Tone::best);
  EXPECT_EQ(tone(verdict_of(Verdict::slower, 3, 2)), Tone::bad);
  EXPECT_EQ(tone(verdict_of(Verdict::inconclusive, 3, 1)), Tone::warning);
  EXPECT_EQ(tone(incomparable(3, "why")), Tone::warning);
}

TEST(VerdictsDocument, CasesThatCannotBeComparedForOneCauseAreOneRow) {
  std::vector<CaseVerdict> cases;
  for (const std::int64_t m : {1, 2, 3}) {
    cases.push_back(incomparable(m, "base has 1 thread, head 2"));
    cases.back().differences = {"threads"};
  }
  cases.push_back(incomparable(4, ""));
  cases.back().head_status = Status::failed;
  cases.push_back(verdict_of(Verdict::slower, 5, 2));
  EXPECT_THAT(findings(verdicts(cases), "verdict"), ElementsAre("incomparable", "incomparable", "slower"));
  EXPECT_THAT(findings(verdicts(cases), "case"),
              ElementsAre("3 cases", "matmul 4 x 4 x 4 f32 on openblas", "matmul 5 x 5 x 5 f32 on openblas"));
  EXPECT_THAT(findings(verdicts(cases), "why"), ElementsAre("base has 1 thread, head 2", "head failed", ""));
}

TEST(VerdictsDocument, SaysWhichSideWasInterrupted) {
  const auto interrupted = [](std::int64_t m, Status base) {
    CaseVerdict c = incomparable(m, "interrupted");
    c.base_status = base;
    c.head_status = Status::interrupted;
    return c;
  };
  EXPECT_THAT(findings(verdicts({interrupted(1, Status::ok), interrupted(2, Status::ok),
                                 interrupted(3, Status::interrupted), interrupted(4, Status::interrupted)}),
                       "why"),
              ElementsAre("the head was interrupted", "both sides: interrupted"));
  EXPECT_THAT(findings(verdicts({interrupted(1, Status::ok)}), "why"), ElementsAre("head interrupted"));
}

TEST(VerdictsDocument, OfFewCasesShowsThoseWithoutAChangeToo) {
  std::vector<CaseVerdict> cases{verdict_of(Verdict::same, 1, 1.01), verdict_of(Verdict::slower, 2, 2)};
  EXPECT_THAT(findings(verdicts(cases), "verdict"), ElementsAre("slower", "the same"));
  for (std::int64_t m = 3; m < 10; ++m) cases.push_back(verdict_of(Verdict::same, m, 1));
  EXPECT_THAT(findings(verdicts(cases), "verdict"), ElementsAre("slower"));
}

TEST(VerdictsDocument, TellsHowItDecided) {
  Verdicts made = verdicts({verdict_of(Verdict::same, 1, 1)});
  made.method = {quoted_note("First it measures. Then it decides.")};
  const Document document = document_of(made);
  EXPECT_THAT(texts(document.cards.at(0).folds.back().sentences),
              ElementsAre(HasSubstr("does not matter here"), "First it measures. Then it decides."));
}

TEST(VerdictsDocument, ACaseThatGivesNoReasonHasARowToo) {
  EXPECT_THAT(findings(verdicts({incomparable(1, "")}), "case"),
              ElementsAre("matmul 1 x 1 x 1 f32 on openblas"));
  const Verdicts two = verdicts({incomparable(1, ""), incomparable(2, "")});
  EXPECT_THAT(findings(two, "case"), ElementsAre("2 cases"));
  EXPECT_THAT(findings(two, "why"), ElementsAre("no reason was given"));
}

TEST(VerdictsDocument, DrawsChangesTheLargestFirstAndLeavesOutTheMiddle) {
  std::vector<CaseVerdict> cases;
  for (int i = 0; i < 30; ++i) cases.push_back(verdict_of(Verdict::slower, i + 1, 1 + 0.01 * i));
  cases.push_back(incomparable(99, "why"));
  Verdicts of = verdicts(cases);
  of.threshold = 0.05;
  const Chart chart = document_of(of).cards[0].picture.value();
  EXPECT_EQ(chart.kind, Chart::Kind::intervals);
  EXPECT_EQ(chart.reference, 1);
  EXPECT_EQ(chart.tolerance, 0.05);
  ASSERT_THAT(chart.categories, SizeIs(20));
  EXPECT_EQ(chart.categories.front(), "matmul 30 x 30 x 30 f32 on openblas");
  EXPECT_EQ(chart.categories.back(), "matmul 1 x 1 x 1 f32 on openblas");
  EXPECT_EQ(chart.note, "10 cases between these are in the table");
  EXPECT_LT(chart.series.at(0).points.at(0).low, chart.series[0].points[0].y);
  EXPECT_FALSE(document_of(verdicts({incomparable(1, "why")})).cards[0].picture);
}

TEST(VerdictsDocument, DrawsEverySampleOfBothSides) {
  CaseVerdict c = verdict_of(Verdict::slower, 4, 2);
  c.launches = {{.base = {1, 2, 3}, .head = {4, 4}}, {.base = {2}, .head = {-1, 6}}};
  const Document made = document_of(verdicts({c}));
  const Chart& chart = made.cards[0].folds.at(0).charts.at(0);
  EXPECT_EQ(chart.kind, Chart::Kind::distributions);
  EXPECT_THAT(chart.series.at(0).points, SizeIs(4));
  ASSERT_THAT(chart.series.at(1).points, SizeIs(3)) << "what is no time is none";
  EXPECT_EQ(chart.series[1].points[2].y, 3) << "over base's median";
  EXPECT_THAT(document_of(verdicts({verdict_of(Verdict::same, 4, 1)})).cards[0].folds, SizeIs(1))
      << "`compare` has no samples";
}

}  // namespace
}  // namespace breakeven::verdicts_document_test
