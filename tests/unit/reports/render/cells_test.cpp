#include "reports/render/cells.h"

#include <gmock/gmock.h>

#include <limits>

#include "unit/document_texts.h"

namespace breakeven::cells_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Table column(CellKind kind, const std::vector<double>& values) {
  Table table{.columns = {{.name = "of", .kind = kind}}};
  for (const double value : values) table.rows.push_back({.cells = {value}});
  return table;
}

std::vector<std::string> shown(CellKind kind, const std::vector<double>& values) {
  return column_texts(column(kind, values), "of");
}

std::string heading(const Table& table) {
  return shown_columns(table).at(0).heading;
}

TEST(Cells, OfAColumnHaveOneUnit) {
  const Table close = column(CellKind::seconds, {6.51e-3, 0.012, 1.2});
  EXPECT_EQ(heading(close), "of, ms");
  EXPECT_THAT(column_texts(close, "of"), ElementsAre("6.51", "12.0", "1,200"));
  EXPECT_EQ(heading(column(CellKind::joules, {2e-6, 3e-4})), "of, µJ");
  EXPECT_EQ(heading(column(CellKind::seconds, {12, 5400})), "of, s");
}

TEST(Cells, ThatAreTooFarApartHaveTheirOwn) {
  const Table far = column(CellKind::seconds, {5e-9, 3});
  EXPECT_EQ(heading(far), "of");
  EXPECT_THAT(column_texts(far, "of"), ElementsAre("5.00 ns", "3.00 s"));
  EXPECT_THAT(shown(CellKind::joules, {5e-9, 3}), ElementsAre("5.00 nJ", "3.00 J"));
}

TEST(Cells, OfColumnsThatAreComparedHaveOneUnit) {
  Table table{.columns = {{.name = "a", .kind = CellKind::seconds},
                          {.name = "n", .kind = CellKind::count},
                          {.name = "b", .kind = CellKind::seconds}}};
  table.rows.push_back({.cells = {2e-6, 1.0, 3e-3}});
  EXPECT_EQ(heading(table), "a, µs");
  EXPECT_THAT(column_texts(table, "b"), ElementsAre("3.00"));
  table.one_unit = true;
  EXPECT_EQ(heading(table), "a, µs");
  EXPECT_THAT(column_texts(table, "b"), ElementsAre("3,000"));
  table.rows[0].cells[2] = 30.0;
  EXPECT_EQ(heading(table), "a");
  EXPECT_THAT(column_texts(table, "b"), ElementsAre("30.0 s")) << "too far apart: each has its own";
}

TEST(Cells, AreWrittenByTheirKind) {
  EXPECT_THAT(shown(CellKind::count, {1234567}), ElementsAre("1,234,567"));
  EXPECT_THAT(shown(CellKind::number, {1234567, 0.01234}), ElementsAre("1,230,000", "0.0123"));
  EXPECT_THAT(shown(CellKind::ratio, {1.47}), ElementsAre("1.5x"));
  EXPECT_THAT(shown(CellKind::percent, {0.53}), ElementsAre("53 %"));
  EXPECT_THAT(shown(CellKind::spread, {0.012}), ElementsAre("±1.2 %"));
  EXPECT_THAT(shown(CellKind::change, {1.053, 0.9}),
              ElementsAre("+5.3 %", testing::MatchesRegex("-10(\\.0)? %")));
}

TEST(Cells, ThatAreNotKnownAreEmptyAndUnused) {
  Table table = column(CellKind::seconds, {1});
  EXPECT_THAT(shown_columns(table), SizeIs(1));
  table.rows[0].cells[0] = {};
  EXPECT_THAT(shown_columns(table), IsEmpty());
  table.rows[0].cells[0] = "";
  EXPECT_THAT(shown_columns(table), IsEmpty());
  table.rows[0].cells[0] = "not reached";
  EXPECT_THAT(column_texts(table, "of"), ElementsAre("not reached"));
  EXPECT_EQ(shown(CellKind::seconds, {std::numeric_limits<double>::infinity(), 0}),
            (std::vector<std::string>{"unknown", "0"}));
}

}  // namespace
}  // namespace breakeven::cells_test
