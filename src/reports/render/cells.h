// Formats the cells of a table, in the same way for all renderers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/document.h"

namespace breakeven {

/// The format of a column: one unit for all cells, if its values allow that.
struct ColumnStyle {
  double scale = 1;           // the shown number is the value divided by it
  std::string unit = {};      // part of the heading; empty without a unit
  bool each_its_own = false;  // the values are too different for one unit, so each cell has its own
};

/// A column in which some row has a value.
struct ShownColumn {
  std::size_t index = 0;
  const TableColumn* column = nullptr;
  ColumnStyle style;
  std::string heading;  // "time, ms"

  bool is_number() const { return column->kind != CellKind::text; }
  /// The text of the row's cell without its note; empty if the value is unknown.
  std::string text(const TableRow& row) const;
};

/// The columns to show. The table must outlive them.
std::vector<ShownColumn> shown_columns(const Table& table, bool on_page = false);

}  // namespace breakeven
