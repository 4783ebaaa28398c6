// Tests the document of a fleet.
#include <gmock/gmock.h>

#include "reports/document/builders.h"
#include "reports/render/terminal.h"
#include "unit/document_texts.h"

namespace breakeven::fleet_document_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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
    standing.cause = node == 2 ? "another kernel" : "";
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

TEST(FleetDocument, SaysThatResultsAreWrong) {
  Fleet wrong = fleet();
  wrong.has_wrong = true;
  EXPECT_EQ(document_of(wrong).title,
            "Some results are wrong. 1 of 3 nodes is slower than the others of its kind.");
}

TEST(FleetDocument, LetsNoControlCharactersThrough) {
  Fleet hostile = fleet();
  hostile.kinds[0].name = hostile.nodes[0] = hostile.standings[0].op = hostile.standings[1].backend =
      hostile.standings[0].cause = "\x1b[2J";
  EXPECT_THAT(render_terminal(document_of(hostile), {.style = {}, .answer_first = true}),
              Not(HasSubstr("\x1b")));
}

TEST(FleetDocument, OfSeveralKindsSaysOfWhichAnAnswerIs) {
  Fleet two = fleet();
  two.nodes.emplace_back("n3");
  two.kinds.push_back({.name = "Another CPU", .nodes = {3}, .why_not = "at least 3 are needed"});
  const Document made = document_of(two);
  ASSERT_EQ(made.cards.size(), 2U);
  EXPECT_THAT(texts(made.cards[0].answer), ElementsAre(HasSubstr("3 x A CPU, 2 cores: n2: matmul by")));
  EXPECT_THAT(texts(made.cards[1].answer),
              ElementsAre("1 x Another CPU: not compared: at least 3 are needed."));
}

}  // namespace
}  // namespace breakeven::fleet_document_test
