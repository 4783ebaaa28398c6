#include "reports/render/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "json/text.h"
#include "reports/charts/svg.h"
#include "reports/document/names.h"
#include "reports/render/cells.h"
#include "reports/render/page_assets.h"
#include "reports/text.h"
#include "version.h"

#if __has_include(<kainjow/mustache.hpp>)  // Debian's place
#include <kainjow/mustache.hpp>
#else
#include <mustache.hpp>
#endif

namespace breakeven {
namespace {

using Data = kainjow::mustache::data;
using List = kainjow::mustache::list;
using Partial = kainjow::mustache::partial;

std::string class_of(Tone tone) {
  // In the order of Tone.
  constexpr std::array<const char*, 6> classes{"", "quiet", "best", "good", "warning", "bad"};
  return classes.at(static_cast<std::size_t>(tone));
}

Data text(std::string_view said) {
  return {printable(said)};
}

Data object(std::initializer_list<std::pair<const char*, Data>> fields) {
  Data data(Data::type::object);
  for (const auto& [name, value] : fields) data.set(name, value);
  return data;
}

template <typename Range, typename Make>
Data list(const Range& all, Make make) {
  List made;
  for (const auto& one : all) made.push_back(make(one));
  return made;
}

Data sentences(std::span<const Sentence> all) {
  return list(all, [](const Sentence& said) {
    Data data = object({{"text", text(said.text)}});
    if (said.tone != Tone::plain) data.set("tone", class_of(said.tone));
    return data;
  });
}

Data table(const Table& of) {
  constexpr std::size_t short_text = 18;  // "10.0 ms → 20.0 ms"; not broken if there is room
  const std::vector<ShownColumn> columns = shown_columns(of, true);
  const auto row = [&](const TableRow& line) {
    return object({{"cells", list(columns, [&](const ShownColumn& column) {
                      const TableCell& cell = line.cells[column.index];
                      const std::string said = column.text(line);
                      Data data = object({{"name", text(column.heading)},
                                          {"text", text(said)},
                                          {"number", std::holds_alternative<double>(cell.value)},
                                          {"short", display_width(said) <= short_text},
                                          {"empty", said.empty()},
                                          {"tone", class_of(cell.tone)}});
                      if (!cell.note.empty()) data.set("note", text(cell.note));
                      return data;
                    })}});
  };
  return object(
      {{"title", text(of.title)},
       {"columns", list(columns,
                        [](const ShownColumn& column) {
                          return object({{"name", text(column.heading)}, {"number", column.is_number()}});
                        })},
       {"rows", list(of.rows, row)}});
}

/// Draws a chart for a wide page and for a phone, with text of the same size in both.
Data picture(const Chart& chart, const std::string& id) {
  constexpr double wide = 720;
  constexpr double narrow = 340;
  return object(
      {{"title", text(chart.title)},
       {"wide", svg_text(chart, {.width = wide, .for_page = true, .id_prefix = id + "-wide"})},
       {"narrow", svg_text(chart, {.width = narrow, .for_page = true, .id_prefix = id + "-narrow"})}});
}

Data folds(const std::vector<Fold>& all, const std::string& id) {
  std::size_t next = 0;
  return list(all, [&](const Fold& of) {
    const std::string fold_id = fmt::format("{}-fold{}", id, next++);
    std::size_t pictures = 0;
    return object({{"title", text(of.title)},
                   {"has_sentences", !of.sentences.empty()},
                   {"sentences", sentences(of.sentences)},
                   {"tables", list(of.tables, table)},
                   {"pictures", list(of.charts, [&](const Chart& chart) {
                      return picture(chart, fmt::format("{}-{}", fold_id, pictures++));
                    })}});
  });
}

std::size_t rows_of(const std::vector<Table>& tables) {
  std::size_t rows = 0;
  for (const Table& one : tables) rows += one.rows.size();
  return rows;
}

Data card(const Card& of) {
  const std::size_t results = rows_of(of.details);
  Data data = object(
      {{"id", text(of.id)},
       {"question", text(of.question)},
       {"short_answer", text(of.short_answer)},
       {"answer", sentences(of.answer)},
       {"has_figures", !of.figures.empty()},
       {"figures", list(of.figures,
                        [](const KeyFigure& figure) {
                          return object({{"value", text(figure.value)}, {"meaning", text(figure.meaning)}});
                        })},
       {"tables", list(of.tables, table)},
       {"has_details", results > 0},
       {"details_title", fmt::format("All {}", counted_text(results, "result", "results"))},
       {"folds", folds(of.folds, of.id)}});
  if (of.picture) data.set("picture", picture(*of.picture, of.id));
  return data;
}

// ---- the tables of all results, which the page builds when a reader opens them

/// The name of the script's function that formats the column's cells.
std::string formatter_of(const ShownColumn& column) {
  // In the order of CellKind; text is written unchanged.
  constexpr std::array<const char*, 9> formatters{"number", "number",  "count",  "seconds", "joules",
                                                  "ratio",  "percent", "spread", "change"};
  const CellKind kind = column.column->kind;
  if (column.style.each_its_own) return kind == CellKind::seconds ? "anySeconds" : "anyJoules";
  return formatters.at(static_cast<std::size_t>(kind));
}

Json cell_json(const TableCell& cell) {
  Json value = nullptr;
  if (const auto* said = std::get_if<std::string>(&cell.value)) value = printable(*said);
  if (const auto* number = std::get_if<double>(&cell.value)) value = number_or_null(*number);
  if (cell.note.empty() && cell.tone == Tone::plain) return value;
  return {std::move(value), printable(cell.note), class_of(cell.tone)};
}

Json table_json(const Table& of) {
  const bool has_groups = !of.group_name.empty();
  const std::vector<ShownColumn> shown = shown_columns(of, true);
  Json columns = Json::array();
  if (has_groups)
    columns.push_back({{"name", of.group_name},
                       {"heading", of.group_name},
                       {"kind", "text"},
                       {"number", false},
                       {"scale", 1},
                       {"choose", false}});
  for (const ShownColumn& column : shown)
    columns.push_back({{"name", column.column->name},
                       {"heading", column.heading},
                       {"kind", formatter_of(column)},
                       {"number", column.is_number()},
                       {"scale", column.style.scale},
                       {"choose", column.column->can_choose}});
  Json rows = Json::array();
  for (const TableRow& row : of.rows) {
    Json& line = rows.emplace_back(Json::array());
    if (has_groups) line.push_back(printable(row.group));
    for (const ShownColumn& column : shown) line.push_back(cell_json(row.cells[column.index]));
  }
  return {{"title", printable(of.title)},
          {"group", of.group_name},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

/// Data for a script element, escaped so that it cannot end the element.
std::string script_text(const Json& data) {
  return boost::algorithm::replace_all_copy(text_of(data), "<", "\\u003c");
}

}  // namespace

std::string render_html(const Document& document) {
  constexpr std::size_t most_notes = 6;
  Json details = Json::object();
  for (const Card& one : document.cards) {
    if (rows_of(one.details) == 0) continue;
    Json& tables = details[printable(one.id)] = Json::array();
    for (const Table& of : one.details) {
      if (!of.rows.empty()) tables.push_back(table_json(of));
    }
  }
  const std::span notes(document.notes);
  const std::span first = notes.first(std::min(most_notes, notes.size()));
  const std::span more = notes.subspan(first.size());
  Data data = object({{"title", text(document.title)},
                      {"about", text(document.about)},
                      {"version", std::string(version)},
                      {"style", page_assets::style()},
                      {"light_colours", svg_page_colours(false)},
                      {"dark_colours", svg_page_colours(true)},
                      {"script", page_assets::script()},
                      {"picture_part", Partial(page_assets::picture)},
                      {"table_part", Partial(page_assets::table)},
                      {"fold_part", Partial(page_assets::fold)},
                      {"has_contents", document.cards.size() > 1},
                      {"has_notes", !first.empty()},
                      {"first_notes", sentences(first)},
                      {"has_more_notes", !more.empty()},
                      {"more_notes_title", counted_text(more.size(), "more note", "more notes")},
                      {"more_notes", sentences(more)},
                      {"has_folds", !document.folds.empty()},
                      {"folds", folds(document.folds, "document")},
                      {"data", script_text(details)}});
  if (document.tone != Tone::plain) data.set("title_tone", class_of(document.tone));
  data.set("cards", list(document.cards, card));
  kainjow::mustache::mustache page(page_assets::page());
  return page.render(data);
}

}  // namespace breakeven
