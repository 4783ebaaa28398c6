#include <gmock/gmock.h>

#include <algorithm>

#include "history/check.h"
#include "reports/document/builders.h"
#include "reports/history.h"
#include "reports/render/terminal.h"
#include "unit/document_texts.h"
#include "unit/history_sample.h"

namespace breakeven::history_document_test {
namespace {

using sample::history_of;
using sample::stepped;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

Document document(const History& history) {
  return document_of(CheckedHistory{.check = check_history(history, {}), .store = "my.store"});
}

const Table& titled(const Document& made, const std::string& title) {
  for (const Table& table : made.cards.at(0).tables) {
    if (table.title == title) return table;
  }
  throw std::out_of_range("no table " + title);
}

TEST(HistoryDocument, SaysWhatIsSlowerTheWorstFirst) {
  const Document made = document(history_of(
      {stepped(60, 40, 1.1), stepped(60, 30, 1.5, 2), stepped(60, 20, 0.8, 3), stepped(60, 99, 1, 4)}));
  EXPECT_EQ(made.about, "my.store · 60 runs · 1 machine · 4 series");
  const Card& card = made.cards.at(0);
  EXPECT_EQ(made.title, "FAIL: 2 changes are slower, and nobody has accepted them.");
  EXPECT_EQ(made.tone, Tone::bad);
  EXPECT_THAT(texts(card.answer), ElementsAre("1 change is faster."));
  EXPECT_EQ(card.short_answer, "FAIL");
  const Table& slower = titled(made, "Slower, and new");
  EXPECT_THAT(column_texts(slower, "case"), ElementsAre("case/1 OpenBLAS", "case/0 OpenBLAS"));
  EXPECT_THAT(column_texts(slower, "between"), Contains(HasSubstr("run 30 (c29) and run 31 (c30)")));
  EXPECT_THAT(column_texts(titled(made, "Faster"), "case"), ElementsAre("case/2 OpenBLAS"));
  EXPECT_THAT(texts(made.notes), Contains(HasSubstr("breakeven history accept my.store")));
  const Chart& chart = card.picture.value();
  EXPECT_THAT(chart.series, SizeIs(4));
  EXPECT_EQ(chart.series[0].label, "case/1 OpenBLAS") << "what changed most comes first";
  EXPECT_EQ(chart.series[0].points.at(0).y, 1);
}

TEST(HistoryDocument, OfNoChangePasses) {
  const Document made = document(history_of({stepped(60, 100, 1)}));
  EXPECT_EQ(made.title, "PASS: nothing new is slower in 1 series.");
  EXPECT_THAT(texts(made.notes), ElementsAre(HasSubstr("less than 3 % do not matter here (--threshold)")));
}

TEST(HistoryDocument, FoldsWhatWasAcceptedOrMadeGood) {
  History accepted = history_of({stepped(60, 40, 1.2)});
  accepted.series[0].accepted = 45;
  EXPECT_THAT(document(accepted).title, HasSubstr("PASS: nothing new"));
  EXPECT_THAT(all_text(document(accepted).cards.at(0)), HasSubstr("Slower, and accepted (1)"));
  EXPECT_THAT(all_text(document(history_of({stepped(90, 30, 1.2, 1, 60)})).cards.at(0)),
              HasSubstr("Slower, and made good since (1)"));
}

TEST(HistoryDocument, OfAYoungHistorySaysHowManyRunsItTakes) {
  const Document made =
      document(history_of({stepped(10, 6, 0.2), stepped(10, 6, 5, 2), stepped(10, 100, 1, 3)}));
  EXPECT_THAT(made.title, HasSubstr("Too early to tell: 10 of "));
  EXPECT_EQ(made.cards[0].short_answer, "Too early to tell");
  EXPECT_THAT(column_texts(titled(made, "Perhaps slower, but too few runs yet to tell"), "case"),
              ElementsAre("case/1 OpenBLAS"));
  EXPECT_THAT(column_texts(titled(made, "Perhaps faster, but too few runs yet to tell"), "seen in"),
              ElementsAre("4"));
  const History mixed = history_of({stepped(8, 4, 2), stepped(60, 100, 1)});
  EXPECT_THAT(texts(document(mixed).notes),
              Contains("1 of 2 series is too short for a change to be found: " +
                       std::to_string(check_history(mixed, {}).values_needed) + " runs are needed."));
}

TEST(HistoryDocument, SaysWhereItNeedsEvenMoreRuns) {
  const History history = history_of({stepped(10, 6, 0.2), stepped(10, 6, 5, 2), stepped(10, 100, 1, 3)});
  HistoryCheck check = check_history(history, {});
  ASSERT_THAT(check.suspicions, SizeIs(1));
  const auto runs_to_go = [&](bool at_least) {
    check.suspicions[0].more = 3;
    check.suspicions[0].at_least = at_least;
    const Document made = document_of(CheckedHistory{.check = check, .store = "my.store"});
    return column_texts(titled(made, "Perhaps slower, but too few runs yet to tell"), "runs to go");
  };
  EXPECT_THAT(runs_to_go(false), ElementsAre("3"));
  EXPECT_THAT(runs_to_go(true), ElementsAre("at least 3"));
  EXPECT_THAT(history_json(check, ""), HasSubstr("\"even_more_possible\": true"));
}

TEST(HistoryDocument, SaysWhatIsNotOk) {
  History few = history_of({stepped(8, 100, 1)});
  few.series[0].measurements.back().status = Status::wrong;
  const Document made = document(few);
  EXPECT_EQ(made.title, "FAIL: 1 case computes wrong results in the newest run.");
  EXPECT_THAT(column_texts(titled(made, "Not ok in the newest run that has them"), "status"),
              ElementsAre("wrong"));
}

TEST(HistoryDocument, SaysWhatIsWrongBeforeWhatFailedAndWhatIsSlower) {
  History history = history_of({stepped(60, 40, 1.2), stepped(60, 100, 1, 2), stepped(60, 100, 1, 3)});
  history.series[1].measurements.back().status = Status::timed_out;
  history.series[2].measurements.back().status = Status::implausible;
  const Document made = document(history);
  EXPECT_EQ(
      made.title,
      "FAIL: 1 case has an impossibly short time in the newest run. 1 case is not ok in the newest run. 1 "
      "change is slower, and nobody has accepted it.");
  EXPECT_EQ(made.cards.at(0).short_answer, "FAIL");
  EXPECT_EQ(made.cards[0].tables.at(0).title, "Not ok in the newest run that has them");
}

TEST(HistoryDocument, OfNothingDoesNotPass) {
  const Document made = document(history_of({}));
  EXPECT_THAT(made.title, HasSubstr("Nothing to check"));
  EXPECT_FALSE(made.cards[0].picture);
}

TEST(HistoryListing, LetsNoControlCharactersThrough) {
  History h = history_of({stepped(60, 40, 1.2)});
  h.series[0].case_id = "\x1b]0;owned\x07 <b>\xff";
  for (auto& run : h.runs) run.commit = run.time = run.branch = run.source = "\x1b[2J";
  h.machines[0].name = h.machines[0].description = "\x1b[31m";
  EXPECT_THAT(history_listing(h, "\x1b", 0), Not(HasSubstr("\x1b")));
}

TEST(HistoryDocument, IsShortInATerminalHoweverMuchThereIs) {
  std::vector<std::vector<double>> seconds;
  for (std::uint64_t s = 0; s < 300; ++s) seconds.push_back(stepped(80, 40, 1.3, s));
  const History h = history_of(seconds);
  const Document made = document(h);
  EXPECT_THAT(titled(made, "Slower, and new").rows, SizeIs(300)) << "a page has all";
  const std::string text = render_terminal(made, {.style = {.width = 200}, .answer_first = true});
  EXPECT_THAT(text, HasSubstr("and 100 more: --out, --html and --markdown have all"));
}

}  // namespace
}  // namespace breakeven::history_document_test
