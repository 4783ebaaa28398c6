#include "reports/document/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/document/names.h"
#include "reports/text.h"

namespace breakeven {

TableCell text_cell(const std::string& text) {
  return text.empty() ? TableCell() : TableCell(printable(text));
}

Tone tone_of_status(int status) {
  return status == 0 ? Tone::best : status == 1 ? Tone::bad : Tone::warning;
}

void add_sentence(std::vector<Sentence>& sentences, const std::string& text, Tone tone) {
  if (!text.empty()) sentences.push_back({.text = printable(text), .tone = tone});
}

void add_table(std::vector<Table>& tables, Table table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

void add_fold(std::vector<Fold>& folds, Fold fold) {
  if (!fold.sentences.empty() || !fold.tables.empty() || !fold.charts.empty())
    folds.push_back(std::move(fold));
}

std::optional<Chart> take_first(std::vector<Chart>& charts) {
  if (charts.empty()) return std::nullopt;
  Chart first = std::move(charts.front());
  charts.erase(charts.begin());
  return first;
}

Fold more_pictures(std::vector<Chart> charts) {
  const std::size_t count = charts.size();
  return {.title = counted_text(count, "more picture", "more pictures"), .charts = std::move(charts)};
}

Chart ratio_chart(std::string name, std::string title, Chart::Kind kind, std::string label) {
  return {.name = std::move(name),
          .title = std::move(title),
          .kind = kind,
          .y = {.label = std::move(label), .unit = ChartUnit::ratio},
          .reference = 1};
}

std::string about_line(std::vector<std::string> parts) {
  std::erase(parts, "");
  return printable(fmt::format("{}", fmt::join(parts, " · ")));
}

std::string tool_text(const std::string& version) {
  return version.empty() ? "" : "breakeven " + version;
}

}  // namespace breakeven
