// Tests the document of the results of `threshold`.
#include <gmock/gmock.h>

#include <algorithm>

#include "reports/document/builders.h"
#include "reports/render/markdown.h"
#include "unit/document_texts.h"
#include "unit/thresholds_sample.h"

namespace breakeven::threshold_document_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(ThresholdDocument, HasTheAnswerThePictureAndEveryPoint) {
  const Document made = document_of(sample::threshold());
  EXPECT_EQ(made.title, "From which size on?");
  EXPECT_EQ(made.about, "host, A CPU, no GPU measured · 1 November 2026 · breakeven 0.1.0");
  ASSERT_THAT(made.cards, SizeIs(1));
  const Card& card = made.cards[0];
  EXPECT_EQ(card.short_answer, "b from 384");
  EXPECT_THAT(texts(card.answer),
              ElementsAre("Matrix products, m = n = k, f32: b is faster than a from m = 384 (377 to 392) up "
                          "to 1,024, the largest measured: by ~3.7x at 1,024. Below that a is faster."));
  ASSERT_TRUE(card.picture);
  EXPECT_THAT(card.picture->marks, SizeIs(1));
  const Table& points = card.details.at(0);
  EXPECT_THAT(column_texts(points, "m"), ElementsAre("64", "512", "1,024"));
  EXPECT_THAT(column_texts(points, "a"), ElementsAre("10.0", "", ""));
  EXPECT_THAT(column_texts(points, "ahead"), ElementsAre("a by 2.0x", "out of memory", "b by ~3.7x"))
      << "two launches have no interval";
  EXPECT_THAT(column_texts(points, "launches"), ElementsAre("3", "0", "2"));
  EXPECT_THAT(texts(made.notes),
              ElementsAre("Matrix products, m = n = k, f32: a note",
                          HasSubstr("the interval of m = 384 is 4.2 % wide, and \"width\" requests 4 %"),
                          "the governor is powersave", "b at 2.5 USD an hour (an offer, 2026-10-01)"));
}

/// The short answer of a threshold if these sides lead, from the smallest value up.
std::string in_short(const std::vector<Lead>& leads) {
  Threshold t = sample::threshold();
  BreakEven& found = t.answers[0].found;
  found.changes.clear();
  for (std::size_t i = 1; i < leads.size(); ++i) {
    LeadChange& change = found.changes.emplace_back();
    change.below = leads[i - 1];
    change.above = leads[i];
    change.from = 100 * static_cast<int>(i);
  }
  found.conclude(leads.back());
  return document_of(t).cards.at(0).short_answer;
}

TEST(ThresholdDocument, SaysInShortWhoLeadsWhere) {
  using enum Lead;
  EXPECT_EQ(in_short({baseline, challenger}), "b from 100");
  EXPECT_EQ(in_short({challenger, baseline, challenger}), "b from 200");
  EXPECT_EQ(in_short({challenger, baseline}), "b below 100") << "the baseline leads above it";
  EXPECT_EQ(in_short({baseline, challenger, baseline}), "b from 100 to 200");
  EXPECT_EQ(in_short({neither, baseline}), "a from 100");
  EXPECT_EQ(in_short({baseline, neither}), "a below 100");
  EXPECT_EQ(in_short({challenger}), "b at all values");
  EXPECT_EQ(in_short({baseline}), "a at all values");
  EXPECT_EQ(in_short({neither}), "neither");
}

TEST(ThresholdDocument, OneAnswerInShortDoesNotStandForOthers) {
  Threshold t = sample::threshold();
  t.answers.push_back(t.answers[0]);
  EXPECT_EQ(document_of(t).cards.at(0).short_answer, "b from 384") << "they are the same";
  t.answers[1].found.changes[0].from = 512;
  EXPECT_EQ(document_of(t).cards.at(0).short_answer, "differs (2 answers)");
}

TEST(ThresholdDocument, SaysWhatMakesItsAnswerWeaker) {
  Threshold t = sample::threshold();
  t.complete = false;
  t.unlike_precision = true;
  const std::vector<std::string> said = texts(document_of(t).notes);
  EXPECT_THAT(said, Contains(HasSubstr("their results are not equally exact")));
  EXPECT_THAT(said, Contains("Interrupted before everything was answered."));
}

/// The challenger is slower by the pairs, but faster by the medians of all launches.
TEST(ThresholdDocument, NotesWhereTheMediansContradictThePairs) {
  Threshold t = sample::threshold();
  EXPECT_THAT(render_markdown(document_of(t)), Not(HasSubstr("medians")));
  t.answers[0].points[0].sides[1].seconds = 0.9e-5;
  EXPECT_THAT(render_markdown(document_of(t)), HasSubstr("the verdict compares pairs"));
}

TEST(ThresholdDocument, NamesNobodyAheadWhereTheIntervalHasBoth) {
  Threshold t = sample::threshold();
  t.answers[0].points[0].log_ratios = {0.01, -0.01, 0.002, 0.01, -0.01, 0.002, 0.01, -0.01};
  EXPECT_THAT(column_texts(document_of(t).cards.at(0).details.at(0), "ahead"),
              ElementsAre("neither", "out of memory", "b by ~3.7x"));
  t.answers[0].points[0].log_ratios = {0.002};
  EXPECT_EQ(column_texts(document_of(t).cards.at(0).details.at(0), "ahead").at(0), "not clear")
      << "one launch shows too little";
}

/// Its interval excludes 1, but the answer needs more than that.
TEST(ThresholdDocument, NamesNobodyAheadWhereTheSearchSeesNobody) {
  Threshold t = sample::threshold();
  t.answers[0].points[0].log_ratios = {0.1, 0.6, 0.2, 0.5, 0.15, 0.45, 0.2, 0.35};
  t.answers[0].found.changes[0].last_below = 64;
  t.answers[0].found.changes[0].first_above = 1024;
  EXPECT_EQ(column_texts(document_of(t).cards.at(0).details.at(0), "ahead").at(0), "a by 1.4x")
      << "the line shows it";
  t.answers[0].found.changes[0].last_below = 128;
  EXPECT_EQ(column_texts(document_of(t).cards.at(0).details.at(0), "ahead").at(0), "not clear");
}

TEST(ThresholdDocument, NamesSidesByWhatTheyDifferIn) {
  Threshold t = sample::threshold();
  const auto ahead = [&](const std::string& baseline, const std::string& challenger) {
    t.sides[0].name = baseline;
    t.sides[1].name = challenger;
    const auto texts = column_texts(document_of(t).cards.at(0).details.at(0), "ahead");
    return texts.at(0) + ", " + texts.at(2);
  };
  EXPECT_EQ(ahead("EPYC Zen 4, 2 cores", "Xeon, 2 cores"), "EPYC Zen 4 by 2.0x, Xeon by ~3.7x");
  EXPECT_EQ(ahead("OpenBLAS", "OpenBLAS or oneDNN"), "OpenBLAS by 2.0x, OpenBLAS or oneDNN by ~3.7x");
  EXPECT_EQ(ahead("Xeon, 2 cores", "Xeon, 12 cores"), "Xeon, 2 cores by 2.0x, Xeon, 12 cores by ~3.7x");
  EXPECT_EQ(ahead("same", "same"), "same by 2.0x, same by ~3.7x");
  EXPECT_EQ(ahead("AB", "B"), "AB by 2.0x, B by ~3.7x");
  for (ThresholdContender& side : t.sides) side.backends = {};
  t.sides[0].wanted = t.sides[1].wanted = {"openblas"};
  t.sides[0].threads = 1;
  t.sides[1].threads = 2;
  EXPECT_EQ(ahead("", ""), "1 thread by 2.0x, 2 threads by ~3.7x");
}

/// Long names of the sides would leave no room for the number of launches.
TEST(ThresholdDocument, HeadsItsColumnsWithWhatTheSidesDifferIn) {
  Threshold t = sample::threshold();
  t.sides[1] = t.sides[0];
  t.sides[1].threads = 8;
  std::vector<std::string> names;
  const Table points = document_of(t).cards.at(0).details.at(0);
  for (const TableColumn& column : points.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("m", "2 threads", "8 threads", "ahead", "launches"));
}

TEST(ThresholdDocument, SaysHowFastTheMachineRanAtTheTimesShown) {
  Threshold t = sample::threshold();
  t.sides[0].own_speed = 0.41;
  EXPECT_THAT(
      texts(document_of(t).cards.at(0).answer),
      Contains("a ran at 41 % of its own speed in the median case: on a quiet machine its times would "
               "be shorter."));
  t.answers.push_back(t.answers[0]);
  t.answers[0].points[0].sides[0].own_speed = 0.581;
  t.answers[1].points[0].sides[0].own_speed = 0.16;
  t.answers[1].points[2].sides[0].own_speed = 0.48;
  EXPECT_THAT(
      texts(document_of(t).cards.at(0).answer),
      Contains("a ran at 16 to 58 % of its own speed: on a quiet machine its times may be as short as "
               "16 % of these."));
  for (ThresholdAnswer& answer : t.answers) {
    for (ThresholdPoint& point : answer.points) point.sides[0].own_speed = 0.96;
  }
  EXPECT_THAT(texts(document_of(t).cards.at(0).answer), Not(Contains(HasSubstr("own speed"))));
}

TEST(ThresholdDocument, SaysInShortWhatIsKnownWithoutAnAnswer) {
  Threshold t = sample::threshold();
  t.answers[0].found.changes.clear();
  t.answers[0].found.answer = BreakEven::Answer::unclear;
  EXPECT_EQ(document_of(t).cards.at(0).short_answer, "b from 1,024");
  t.answers[0].points.clear();
  EXPECT_EQ(document_of(t).cards.at(0).short_answer, "not answered");
}

TEST(ThresholdDocument, NamesTheBackendOfASideThatHasSeveral) {
  Threshold t = sample::threshold();
  const auto note = [&] { return document_of(t).cards.at(0).details.at(0).rows.at(0).cells.at(1).note; };
  EXPECT_EQ(note(), "");
  t.sides[0].backends.push_back(t.sides[0].backends[0]);
  EXPECT_EQ(note(), "a");
}

TEST(ThresholdDocument, FromResultsHasNoLaunches) {
  Threshold t = sample::threshold();
  t.from_results = true;
  EXPECT_THAT(column_texts(document_of(t).cards.at(0).details.at(0), "launches"), IsEmpty());
}

TEST(ThresholdDocument, OfManyAnswersHasATable) {
  Threshold t = sample::threshold();
  t.answers.assign(4, t.answers[0]);
  t.answers[1].in = Metric::energy;
  const Card card = document_of(t).cards.at(0);
  EXPECT_THAT(card.answer, SizeIs(4));
  EXPECT_THAT(texts(card.answer), Contains(HasSubstr("f32, by energy")));
  EXPECT_EQ(card.folds.at(0).title, "3 more pictures");
  t.answers.assign(7, t.answers[0]);
  t.sides[0].own_speed = t.sides[1].own_speed = 0.5;
  const auto is_answer = [](const std::string& line) { return line.starts_with("Matrix products"); };
  EXPECT_EQ(std::ranges::count_if(texts(document_of(t).cards.at(0).answer), is_answer), 4);
  EXPECT_THAT(document_of(t).cards.at(0).more_answers, SizeIs(3));
  EXPECT_EQ(std::ranges::count_if(lines_of(render_answers(document_of(t))), is_answer), 7);
  EXPECT_THAT(document_of(t).cards.at(0).tables, IsEmpty());
  EXPECT_EQ(document_of(t).cards.at(0).folds.at(0).title, "All 7 answers");
}

TEST(ThresholdDocument, WarningsTakeNoPlacesOfAnswers) {
  Threshold t = sample::threshold();
  t.answers.push_back(t.answers[0]);
  t.sides[0].own_speed = t.sides[1].own_speed = 0.5;
  const Card card = document_of(Measured{.results = {}, .thresholds = {t, t}}).cards.at(0);
  EXPECT_THAT(texts(card.answer),
              testing::AllOf(SizeIs(8), Contains(HasSubstr("on a quiet machine")).Times(4)));
  EXPECT_THAT(card.more_answers, IsEmpty());
}

TEST(ThresholdDocument, OfOneQuestionOnTwoMachinesIsOneCard) {
  Threshold other = sample::threshold();
  other.host.name = "other";
  Threshold another = sample::threshold();
  another.title = "From which batch on?";
  const Document made =
      document_of(Measured{.results = {}, .thresholds = {sample::threshold(), other, another}});
  ASSERT_THAT(made.cards, SizeIs(2));
  EXPECT_THAT(texts(made.cards[0].answer),
              ElementsAre(HasSubstr("f32 on host: b is faster"), HasSubstr("f32 on other: b is faster")));
  EXPECT_EQ(made.cards[1].question, "From which batch on?");
}

}  // namespace
}  // namespace breakeven::threshold_document_test
