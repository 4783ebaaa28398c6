#include "reports/render/html.h"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/charts/svg.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/render/cells.h"
#include "reports/render/page_assets.h"
#include "reports/text.h"
#include "results/json_parts.h"
#include "version.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;
using Data = kainjow::mustache::data;
using List = kainjow::mustache::list;

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::best:
      return "best";
    case Tone::good:
      return "good";
    case Tone::warning:
      return "warning";
    case Tone::bad:
      return "bad";
    case Tone::quiet:
      return "quiet";
    case Tone::plain:
      break;
  }
  return "";
}

Data text(std::string_view said) {
  return Data(printable(said));
}

Data object() {
  return Data(Data::type::object);
}

Data sentence(const Sentence& said) {
  Data data = object();
  data.set("text", text(said.text));
  if (said.tone != Tone::plain) data.set("tone", std::string(class_of(said.tone)));
  return data;
}

Data sentences(const std::vector<Sentence>& all) {
  List list;
  for (const Sentence& said : all) list.push_back(sentence(said));
  return list;
}

Data table(const Table& of) {
  Data data = object();
  data.set("title", text(of.title));
  List columns;
  std::vector<std::pair<std::size_t, ColumnStyle>> used;
  for (std::size_t i = 0; i < of.columns.size(); ++i) {
    ColumnStyle style = style_of(of, i);
    if (!style.is_used) continue;
    Data column = object();
    column.set("name", text(heading_text(of.columns[i], style)));
    column.set("number", is_number(of.columns[i]));
    columns.push_back(std::move(column));
    used.emplace_back(i, std::move(style));
  }
  List rows;
  for (const TableRow& row : of.rows) {
    List cells;
    for (const auto& [i, style] : used) {
      const TableCell& cell = row.cells[i];
      const std::string said = cell_text(cell, of.columns[i], style);
      Data one = object();
      one.set("name", text(heading_text(of.columns[i], style)));
      one.set("text", text(said));
      one.set("number", std::holds_alternative<double>(cell.value));
      one.set("empty", said.empty());
      one.set("tone", std::string(class_of(cell.tone)));
      if (!cell.note.empty()) one.set("note", text(cell.note));
      cells.push_back(std::move(one));
    }
    Data line = object();
    line.set("cells", std::move(cells));
    rows.push_back(std::move(line));
  }
  data.set("columns", std::move(columns));
  data.set("rows", std::move(rows));
  return data;
}

/// Drawn for a wide page and for a phone: text keeps its size in both.
Data picture(const Chart& chart, const std::string& id) {
  constexpr double wide = 720;
  constexpr double narrow = 340;
  Data data = object();
  data.set("title", text(chart.title));
  data.set("wide", svg_text(chart, {.width = wide, .for_page = true, .id_prefix = id + "-wide"}));
  data.set("narrow", svg_text(chart, {.width = narrow, .for_page = true, .id_prefix = id + "-narrow"}));
  return data;
}

Data fold(const Fold& of, const std::string& id) {
  Data data = object();
  data.set("title", text(of.title));
  data.set("has_sentences", !of.sentences.empty());
  data.set("sentences", sentences(of.sentences));
  List tables;
  for (const Table& one : of.tables) tables.push_back(table(one));
  data.set("tables", std::move(tables));
  List pictures;
  for (std::size_t i = 0; i < of.charts.size(); ++i)
    pictures.push_back(picture(of.charts[i], fmt::format("{}-{}", id, i)));
  data.set("pictures", std::move(pictures));
  return data;
}

Data folds(const std::vector<Fold>& all, const std::string& id) {
  List list;
  for (std::size_t i = 0; i < all.size(); ++i) list.push_back(fold(all[i], fmt::format("{}-fold{}", id, i)));
  return list;
}

std::size_t rows_of(const std::vector<Table>& tables) {
  std::size_t rows = 0;
  for (const Table& one : tables) rows += one.rows.size();
  return rows;
}

Data card(const Card& of) {
  Data data = object();
  data.set("id", text(of.id));
  data.set("question", text(of.question));
  data.set("short_answer", text(of.short_answer));
  data.set("answer", sentences(of.answer));
  List figures;
  for (const KeyFigure& figure : of.figures) {
    Data one = object();
    one.set("value", text(figure.value));
    one.set("meaning", text(figure.meaning));
    figures.push_back(std::move(one));
  }
  data.set("has_figures", !of.figures.empty());
  data.set("figures", std::move(figures));
  if (of.picture) data.set("picture", picture(*of.picture, of.id));
  List tables;
  for (const Table& one : of.tables) tables.push_back(table(one));
  data.set("tables", std::move(tables));
  const std::size_t results = rows_of(of.details);
  data.set("has_details", results > 0);
  data.set("details_title", fmt::format("All {}", counted_text(results, "result", "results")));
  data.set("folds", folds(of.folds, of.id));
  return data;
}

// ---- the tables of all results, which the page builds when they are opened

std::string_view formatter_of(const TableColumn& column, const ColumnStyle& style) {
  switch (column.kind) {
    case CellKind::count:
      return "count";
    case CellKind::seconds:
      return style.each_its_own ? "anySeconds" : "seconds";
    case CellKind::joules:
      return style.each_its_own ? "anyJoules" : "joules";
    case CellKind::ratio:
      return "ratio";
    case CellKind::percent:
      return "percent";
    case CellKind::spread:
      return "spread";
    case CellKind::change:
      return "change";
    case CellKind::text:
    case CellKind::number:
      break;
  }
  return "number";
}

Json cell_json(const TableCell& cell) {
  Json value = nullptr;
  if (const auto* said = std::get_if<std::string>(&cell.value)) value = printable(*said);
  if (const auto* number = std::get_if<double>(&cell.value)) value = number_or_null(*number);
  if (cell.note.empty() && cell.tone == Tone::plain) return value;
  return {std::move(value), printable(cell.note), class_of(cell.tone)};
}

Json table_json(const Table& of) {
  Json made{{"title", printable(of.title)},
            {"group", of.group_name},
            {"columns", Json::array()},
            {"rows", Json::array()}};
  if (!of.group_name.empty())
    made["columns"].push_back({{"name", of.group_name},
                               {"heading", of.group_name},
                               {"kind", "text"},
                               {"number", false},
                               {"scale", 1},
                               {"choose", false}});
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < of.columns.size(); ++i) {
    const ColumnStyle style = style_of(of, i);
    if (!style.is_used) continue;
    used.push_back(i);
    const TableColumn& column = of.columns[i];
    made["columns"].push_back({{"name", column.name},
                               {"heading", heading_text(column, style)},
                               {"kind", formatter_of(column, style)},
                               {"number", is_number(column)},
                               {"scale", style.scale},
                               {"choose", column.can_choose}});
  }
  for (const TableRow& row : of.rows) {
    Json line = Json::array();
    if (!of.group_name.empty()) line.push_back(printable(row.group));
    for (const std::size_t i : used) line.push_back(cell_json(row.cells[i]));
    made["rows"].push_back(std::move(line));
  }
  return made;
}

/// In a script element: nothing in it can end that.
std::string script_text(const Json& data) {
  std::string safe;
  for (const char c : text_of(data)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

kainjow::mustache::partial partial(std::string_view file) {
  return {[file] { return std::string(file); }};
}

}  // namespace

std::string render_html(const Document& document) {
  constexpr std::size_t most_notes = 6;
  Data data = object();
  data.set("title", text(document.title));
  if (document.tone != Tone::plain) data.set("title_tone", std::string(class_of(document.tone)));
  data.set("about", text(document.about));
  data.set("version", std::string(version));
  data.set("style", std::string(page_assets::style()));
  data.set("light_colours", svg_page_colours(false));
  data.set("dark_colours", svg_page_colours(true));
  data.set("script", std::string(page_assets::script()));
  data.set("picture_part", partial(page_assets::picture()));
  data.set("table_part", partial(page_assets::table()));
  data.set("fold_part", partial(page_assets::fold()));
  List cards;
  Json details = Json::object();
  for (const Card& one : document.cards) {
    cards.push_back(card(one));
    if (rows_of(one.details) == 0) continue;
    Json& tables = details[printable(one.id)] = Json::array();
    for (const Table& of : one.details) {
      if (!of.rows.empty()) tables.push_back(table_json(of));
    }
  }
  data.set("has_contents", document.cards.size() > 1);
  data.set("cards", std::move(cards));
  const auto split =
      document.notes.begin() + std::min<std::ptrdiff_t>(most_notes, std::ssize(document.notes));
  const std::vector<Sentence> first(document.notes.begin(), split);
  const std::vector<Sentence> more(split, document.notes.end());
  data.set("has_notes", !first.empty());
  data.set("first_notes", sentences(first));
  data.set("has_more_notes", !more.empty());
  data.set("more_notes_title", counted_text(more.size(), "more note", "more notes"));
  data.set("more_notes", sentences(more));
  data.set("has_folds", !document.folds.empty());
  data.set("folds", folds(document.folds, "document"));
  data.set("data", script_text(details));
  kainjow::mustache::mustache page{std::string(page_assets::page())};
  return page.render(data);
}

}  // namespace breakeven
