// How the cells of a table are written: the same everywhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/document.h"

namespace breakeven {

/// One unit for a whole column, as far as its values allow that.
struct ColumnStyle {
  bool is_used = false;       // some row has something in it
  double scale = 1;           // a value over it is what is shown
  std::string unit = {};      // stands in the heading; empty without one
  bool each_its_own = false;  // the values are too far apart for one unit: it stands in each cell
};

ColumnStyle style_of(const Table& table, std::size_t column);

/// "time, ms".
std::string heading_text(const TableColumn& column, const ColumnStyle& style);

/// Without the cell's note; empty where the value is not known.
std::string cell_text(const TableCell& cell, const TableColumn& column, const ColumnStyle& style);

/// A column that some row has something in.
struct ShownColumn {
  std::size_t index = 0;
  const TableColumn* column = nullptr;
  ColumnStyle style;
  std::string heading;

  bool is_number() const { return column->kind != CellKind::text; }
  std::string text(const TableRow& row) const { return cell_text(row.cells[index], *column, style); }
};

/// The table must outlive them.
std::vector<ShownColumn> shown_columns(const Table& table, bool on_page = false);

}  // namespace breakeven
