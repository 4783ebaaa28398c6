#include "reports/render/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "reports/document/numbers.h"
#include "reports/words/change_text.h"

namespace breakeven {
namespace {

/// Chooses the unit in which no value has more than five digits before the decimal point, or more than three
/// zeros after it.
void choose_unit(ColumnStyle& style, std::vector<double> values, std::span<const ScaledUnit> units) {
  std::erase_if(values, [](double v) { return !(v > 0) || !std::isfinite(v); });
  if (values.empty()) return;
  const auto [low, high] = std::ranges::minmax_element(values);
  constexpr double smallest = 5e-3;
  constexpr double largest = 1e5;
  for (const ScaledUnit& unit : units) {
    // Takes the first unit that keeps the largest value short. Smaller units would only add digits.
    const bool fits = *low / unit.size >= smallest && *high / unit.size < largest;
    const bool is_close = *low / unit.size < 1000 || &unit == &units.back();
    if (!fits || !is_close) continue;
    style.scale = unit.size;
    style.unit = unit.name;
    return;
  }
  style.each_its_own = true;
}

bool is_used(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const TableRow& row) {
    if (column >= row.cells.size()) return false;
    const auto& value = row.cells[column].value;
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? !text->empty() : value.index() != 0;
  });
}

ColumnStyle style_of(const Table& table, std::size_t column) {
  ColumnStyle style;
  const CellKind kind = table.columns.at(column).kind;
  std::vector<double> values;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i != column && !(table.one_unit && table.columns[i].kind == kind)) continue;
    for (const TableRow& row : table.rows) {
      if (i >= row.cells.size()) continue;
      if (const auto* number = std::get_if<double>(&row.cells[i].value)) values.push_back(*number);
    }
  }
  if (kind == CellKind::seconds)
    choose_unit(style, std::move(values), second_units);
  else if (kind == CellKind::joules)
    choose_unit(style, std::move(values), std::span(joule_units).subspan(1));
  return style;
}

}  // namespace

std::vector<ShownColumn> shown_columns(const Table& table, bool on_page) {
  std::vector<ShownColumn> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    if (!is_used(table, i) || (column.page_only && !on_page)) continue;
    const ColumnStyle style = style_of(table, i);
    shown.push_back(
        {.index = i,
         .column = &column,
         .style = style,
         .heading = style.unit.empty() ? column.name : fmt::format("{}, {}", column.name, style.unit)});
  }
  return shown;
}

std::string ShownColumn::text(const TableRow& row) const {
  const auto& value = row.cells[index].value;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return "";
  switch (column->kind) {
    case CellKind::count:
      return count_text(*number);
    case CellKind::seconds:
      return style.each_its_own ? format_seconds(*number) : number_text(*number / style.scale);
    case CellKind::joules:
      return style.each_its_own ? format_joules(*number) : number_text(*number / style.scale);
    case CellKind::ratio:
      return factor_text(*number);
    case CellKind::percent:
      return aligned_percent(*number);
    case CellKind::spread:
      return "±" + aligned_percent(*number);
    case CellKind::change:
      return change_text(*number);
    case CellKind::text:
    case CellKind::number:
      break;
  }
  return number_text(*number);
}

}  // namespace breakeven
