#include "plan/shape_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plan/suggestion.h"
#include "text/counted.h"

namespace breakeven {
namespace {

constexpr const char* label_column = "label";

/// Reads the parameter of each column; null for the column of labels.
std::vector<const Parameter*> read_columns(const Json& columns, const Place& place,
                                           const Workload& workload) {
  if (!columns.is_array() || columns.empty())
    place.fail("is {}; it must be a list of parameter names", shown(columns));
  std::vector<std::string> known = names_in(workload.parameters());
  known.emplace_back(label_column);
  std::vector<const Parameter*> read;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Json& column = columns[i];
    if (!column.is_string() ||
        std::ranges::find(known, column.get_ref<const std::string&>()) == known.end()) {
      (place / i).fail("{} has no parameter {}; it has {}{}", workload.op(), shown(column),
                       fmt::join(known, ", "),
                       column.is_string() ? did_you_mean(column.get<std::string>(), known) : "");
    }
    const Parameter* parameter = find_parameter(workload.parameters(), column.get<std::string>());
    if (std::ranges::find(read, parameter) != read.end())
      (place / i).fail("the column {} is there twice; remove one", shown(column));
    read.push_back(parameter);
  }
  return read;
}

}  // namespace

Axis read_shapes(const std::filesystem::path& path, const Workload& workload,
                 const std::filesystem::path& folder) {
  const Json document = read_json(path, FileKind::shapes).document;
  const Place place(path.string());
  require_object(document, place, {"source", "commit", "licence", "note", "op", "columns", "rows"});
  (void)require_text(document, place, "source");  // required: a list of published shapes needs its source
  for (const char* key : {"commit", "licence", "note", "op"}) {
    if (document.contains(key)) (void)require_text(document, place, key);
  }
  if (const auto op = document.find("op"); op != document.end() && *op != workload.op())
    (place / "op")
        .fail("these are shapes of {}, and the workload is \"{}\"; take another file", shown(*op),
              workload.op());
  const Json& names_of_columns = require_member(document, place, "columns");
  const Json& rows = require_member(document, place, "rows");
  const auto columns = read_columns(names_of_columns, place / "columns", workload);
  Axis axis{.place = place / "rows", .written = Axis::Written::shapes, .columns = columns};
  if (!rows.is_array() || rows.empty())
    axis.place.fail("is {}; it must be a list of rows that is not empty", shown(rows));
  if (rows.size() > most_cases)
    axis.place.fail("has {} rows, and at most {} cases are possible; shorten it", rows.size(), most_cases);

  const ValueReader reader{.folder = folder, .parameters = workload.parameters()};
  const auto label = std::ranges::find(columns, nullptr);
  axis.rows.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    if (!row.is_array() || row.size() != columns.size()) {
      (axis.place / i)
          .fail("is {}; it must be a list of {}, one for each column", shown(row),
                counted_text(columns.size(), "value", "values"));
    }
    std::vector<Cell> cells(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j] == nullptr) {
        if (!row[j].is_string()) (axis.place / i / j).fail("is {}; a label must be a string", shown(row[j]));
        continue;
      }
      cells[j] = reader.value(row[j], axis.place / i / j, *columns[j]);
    }
    axis.rows.push_back(std::move(cells));
    if (label != columns.end())
      axis.labels.push_back(row[static_cast<std::size_t>(label - columns.begin())].get<std::string>());
  }
  return axis;
}

}  // namespace breakeven
