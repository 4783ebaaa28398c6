// Tests the document of a fleet.
#include <gmock/gmock.h>

#include "reports/document/builders.h"
#include "reports/render/markdown.h"
#include "reports/render/terminal.h"
#include "unit/document_texts.h"
#include "unit/well_formed.h"

namespace breakeven::fleet_document_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Three nodes. The last one is slower.
Fleet fleet() {
  Fleet made;
  made.nodes = {"n0", "n1", "n2"};
  made.kinds.emplace_back();
  made.kinds[0].name = "A CPU, 2 cores";
  made.kinds[0].nodes = {0, 1, 2};
  for (const std::size_t node : {2U, 0U, 1U}) {
    NodeStanding& standing = made.standings.emplace_back();
    standing.node = node;
    standing.backend = "onednn";
    standing.op = "matmul";
    standing.cases = 2;
    standing.is_slower = node == 2;
    standing.ratio = node == 2 ? 1.5 : 1;
    standing.interval = {.low = standing.ratio - 0.01, .high = standing.ratio + 0.01};
    if (node == 2) standing.cause = {quoted_note("another kernel")};
  }
  return made;
}

TEST(FleetDocument, ShowsHowTheNodesStand) {
  const Document made = document_of(fleet());
  ASSERT_EQ(made.cards.size(), 1U);
  EXPECT_THAT(texts(made.cards[0].answer),
              ElementsAre("n2: matmul by oneDNN takes 1.5x (1.5x to 1.5x) as long: another kernel."));
  EXPECT_THAT(column_texts(made.cards[0].tables.at(0), "node"), ElementsAre("n2", "n0", "n1"));
  EXPECT_THAT(render_terminal(made, {.style = {.width = 100}, .answer_first = true}),
              HasSubstr("0.990 to 1.010"));
}

/// The answer and the title of a fleet whose last node is probably slower.
TEST(FleetDocument, SaysWhatIsNotConfirmed) {
  Fleet unsure = fleet();
  unsure.standings[0].is_slower = false;
  unsure.standings[0].is_probably_slower = true;
  for (NodeStanding& standing : unsure.standings) standing.slower_from = 58;
  unsure.standings[1].slower_from = 2.8;
  Document made = document_of(unsure);
  EXPECT_EQ(
      made.title,
      "1 of 3 nodes is probably slower than the others of its kind. Measure all nodes again, and give all "
      "files: a run may be slow by chance.");
  EXPECT_EQ(made.tone, tone_of_status(3));
  EXPECT_THAT(
      texts(made.cards[0].answer),
      ElementsAre("n2: matmul by oneDNN probably takes 1.5x (1.5x to 1.5x) as long: another kernel.",
                  "Among these 3 nodes, no difference below 10x can be confirmed; for smaller ones, measure "
                  "all nodes again and give all files."));
  EXPECT_THAT(column_texts(made.cards[0].tables.at(0), "slower from"), ElementsAre("58x", "2.8x", "58x"));
  unsure.standings[0].is_probably_slower = false;
  for (NodeStanding& standing : unsure.standings) standing.slower_from = 1.065;
  made = document_of(unsure);
  EXPECT_EQ(made.title, "No node was found to be slower than the others of its kind.");
  EXPECT_THAT(texts(made.cards[0].answer),
              ElementsAre("Among these 3 nodes, differences from 1.06x on can be confirmed."));
  unsure.standings[0].is_slower = unsure.standings[1].is_probably_slower = true;
  EXPECT_EQ(document_of(unsure).title,
            "1 of 3 nodes is slower than the others of its kind. 1 more is probably slower.");
}

TEST(FleetDocument, SaysToMeasureANodeOfOneLaunchAgain) {
  Fleet once = fleet();
  for (NodeStanding& standing : once.standings) standing.has_one_launch = true;
  EXPECT_THAT(
      texts(document_of(once).cards[0].answer),
      ElementsAre(
          "n2: matmul by oneDNN takes 1.5x (1.5x to 1.5x) as long in this run: another kernel.",
          "n2 was measured in one launch only, and a launch may be slow by chance: measure it again."));
  once.standings[1].is_probably_slower = true;
  EXPECT_THAT(
      texts(document_of(once).cards[0].answer).back(),
      HasSubstr("n0 and n2 were each measured in one launch only, and a launch may be slow by chance: "
                "measure them again."));
}

TEST(FleetDocument, SaysThatResultsAreWrong) {
  Fleet wrong = fleet();
  wrong.has_wrong = true;
  EXPECT_EQ(document_of(wrong).title,
            "Some results are wrong. 1 of 3 nodes is slower than the others of its kind.");
}

TEST(FleetDocument, LetsNoControlCharactersThrough) {
  Fleet hostile = fleet();
  hostile.kinds[0].name = hostile.nodes[0] = hostile.standings[0].op = hostile.standings[1].backend =
      "\x1b[2J";
  hostile.standings[0].cause = {quoted_note("\x1b[2J")};
  EXPECT_EQ(well_formed::fault_of_any_form(&hostile), "");
}

TEST(FleetDocument, OfSeveralKindsSaysOfWhichAnAnswerIs) {
  Fleet two = fleet();
  two.nodes.emplace_back("n3");
  two.kinds.push_back(
      {.name = "Another CPU", .nodes = {3}, .why_not = {quoted_note("at least 3 are needed")}});
  const Document made = document_of(two);
  ASSERT_EQ(made.cards.size(), 2U);
  EXPECT_EQ(made.cards[0].short_answer, "1 of 3 slower");
  EXPECT_EQ(made.cards[1].short_answer, "not compared");
  EXPECT_THAT(render_answers(made), StartsWith(made.title + "\n"));
  EXPECT_THAT(texts(made.cards[0].answer), ElementsAre(HasSubstr("3 x A CPU, 2 cores: n2: matmul by")));
  EXPECT_THAT(texts(made.cards[1].answer),
              ElementsAre("1 x Another CPU: not compared: at least 3 are needed."));
}

}  // namespace
}  // namespace breakeven::fleet_document_test
