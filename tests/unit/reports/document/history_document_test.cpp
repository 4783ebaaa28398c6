#include <gmock/gmock.h>

#include <algorithm>

#include "history/check.h"
#include "reports/charts/history_charts.h"
#include "reports/charts/svg.h"
#include "reports/document/builders.h"
#include "reports/exports/format.h"
#include "reports/history.h"
#include "reports/render/terminal.h"
#include "unit/document_texts.h"
#include "unit/history_sample.h"

namespace breakeven::history_document_test {
namespace {

using sample::history_of;
using sample::stepped;
using testing::AllOf;
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
  EXPECT_EQ(card.picture.value().title, "case/1, OpenBLAS") << "what changed most comes first";
  EXPECT_THAT(card.folds.back().charts, SizeIs(3));
}

TEST(HistoryDocument, DrawsEachCaseByCommitWithItsChange) {
  History history = history_of({stepped(60, 40, 1.1), stepped(60, 99, 1, 4)});
  history.series[0].case_id = "matmul/m=100/n=100/k=100/tuned=false/f32";
  history.runs[40].time = "2026-01-02T03:04:05Z";
  history.runs[41].commit.clear();
  const HistoryCheck check = check_history(history, {});
  const std::vector<Chart> charts = history_charts(check);
  ASSERT_THAT(charts, SizeIs(2));
  EXPECT_EQ(charts[0].name, "history");
  EXPECT_EQ(charts[1].name, "history-2");
  EXPECT_EQ(charts[0].title, "matmul 100 x 100 x 100 f32, not tuned, OpenBLAS");
  EXPECT_EQ(charts[0].categories.at(40), "c40 2026-01-02");
  EXPECT_EQ(charts[0].categories.at(41), "run 42");
  ASSERT_THAT(charts[0].marks, SizeIs(1));
  EXPECT_EQ(charts[0].marks[0].x, 39.5);
  EXPECT_THAT(charts[0].marks[0].label, testing::MatchesRegex("\\+[0-9.]+ % at c40 2026-01-02"));
  EXPECT_THAT(charts[1].marks, testing::IsEmpty());
  const std::string svg = svg_text(charts[0], {});
  EXPECT_THAT(svg, AllOf(HasSubstr(">c0</text>"), HasSubstr("1.1 ms"), Not(HasSubstr(">0</text>"))));
}

TEST(HistoryDocument, ReportsForCiHaveWhatFailsAndWhatIsSuspected) {
  History history = history_of({stepped(60, 40, 1.2), stepped(60, 100, 1, 2), stepped(60, 58, 1.3, 3)});
  history.series[1].measurements.back().status = Status::wrong;
  const CheckedHistory checked{.check = check_history(history, {}), .store = "my.store"};
  const auto written = [&](const std::string& option) {
    return std::ranges::find(all_formats(), option, &OutputFormat::option)->format(&checked).text;
  };
  EXPECT_THAT(
      written("--annotations"),
      testing::MatchesRegex("::error title=wrong::case/1 OpenBLAS; in run 60 \\(c59\\)\n"
                            "::error title=slower \\+[^\n]*::case/0 OpenBLAS; [^\n]*between run 40 [^\n]*\n"
                            "::warning title=perhaps slower [^\n]*::case/2 OpenBLAS; [^\n]*newest 2 "
                            "runs[^\n]*\n"));
  EXPECT_THAT(written("--junit"),
              AllOf(HasSubstr(R"(tests="3" failures="2" errors="0" skipped="0")"),
                    HasSubstr(R"(<testcase name="case/0/openblas" classname="case" time="0.0011)"),
                    HasSubstr(R"(<failure type="slower" message="slower: case/0 OpenBLAS; +)"),
                    HasSubstr(R"(<failure type="wrong")"), HasSubstr("<system-out>perhaps slower: case/2")));
}

TEST(HistoryDocument, OfNoChangePasses) {
  const Document made = document(history_of({stepped(60, 100, 1)}));
  EXPECT_EQ(made.title, "PASS: nothing new is slower in 1 series.");
  const Table& table = titled(made, "Newest time, and the median of those before");
  EXPECT_THAT(column_texts(table, "case"), ElementsAre("case/0 OpenBLAS"));
  EXPECT_THAT(column_texts(table, "runs"), ElementsAre("60"));
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
