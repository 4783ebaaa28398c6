// The content of a report, whatever its subject and output format. It is built once and rendered as terminal
// text, Markdown or a page.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reports/charts/chart.h"

namespace breakeven {

/// How a renderer may emphasise something. Colour is never the only sign.
enum class Tone { plain, quiet, best, good, warning, bad };

/// A text, a number, or an unknown value.
struct TableCell {
  std::variant<std::monostate, std::string, double> value = {};
  std::string note = {};  // below or after it, smaller
  Tone tone = Tone::plain;

  TableCell() = default;
  // NOLINTBEGIN(google-explicit-constructor): the values of a row are its cells
  TableCell(std::string text, Tone stress = Tone::plain) : value(std::move(text)), tone(stress) {}
  TableCell(const char* text) : value(text) {}
  template <typename Number>
  requires std::is_arithmetic_v<Number> TableCell(Number number, Tone stress = Tone::plain)
      : value(static_cast<double>(number)), tone(stress) {}
  /// The cell is also empty if the number is not finite.
  TableCell(const std::optional<double>& number, std::string beside = {}) {
    if (!number || !std::isfinite(*number)) return;
    value = *number;
    note = std::move(beside);
  }
  // NOLINTEND(google-explicit-constructor)
};

/// The kind of a column's cells, which decides how they are written, aligned and sorted.
enum class CellKind {
  text,
  number,   // three significant digits, thousands separated
  count,    // whole
  seconds,  // one unit for the whole column
  joules,   // one unit for the whole column
  ratio,    // 1.47 as "1.5x"
  percent,  // 0.012 as "1.2 %"
  spread,   // 0.012 as "±1.2 %"
  change,   // a ratio, 1.053 as "+5.3 %"
};

struct TableColumn {
  std::string name;
  CellKind kind = CellKind::text;
  bool essential = false;   // stays in the row even in a narrow terminal
  bool can_choose = false;  // the page offers it as a filter
  bool page_only = false;   // too wide for terminals and Markdown
};

inline TableColumn essential(std::string name, CellKind kind = CellKind::text) {
  return {.name = std::move(name), .kind = kind, .essential = true};
}

struct TableRow {
  std::vector<TableCell> cells = {};  // as many as there are columns
  std::string group = {};             // heading of a group of rows; equal for adjacent rows
};

/// A table. Renderers leave out columns that are empty in all rows.
struct Table {
  std::string title = {};
  std::vector<TableColumn> columns = {};
  std::vector<TableRow> rows = {};
  std::string group_name = {};  // the kind of the groups, such as "problem"; empty without groups
  bool one_unit = false;        // columns of one kind have the same unit, so that they can be compared
};

/// One sentence, or a few that belong together.
struct Sentence {
  std::string text;
  Tone tone = Tone::plain;
};

/// A decisive number, shown large, with its meaning.
struct KeyFigure {
  std::string value, meaning;
};

/// A section that a reader can open: all results, notes, conditions.
struct Fold {
  std::string title = {};
  std::vector<Sentence> sentences = {};
  std::vector<Table> tables = {};
  std::vector<Chart> charts = {};
};

/// One question and its answer.
struct Card {
  std::string id = {};                // letters, digits and -; unique in the document
  std::string question = {};          // "Which library is fastest?"
  std::string short_answer = {};      // a few words, for the table of contents
  std::vector<Sentence> answer = {};  // one or two sentences that need no context
  /// Further answers, which pages and Markdown show in their tables and folds.
  std::vector<Sentence> more_answers = {};
  std::vector<KeyFigure> figures = {};
  std::optional<Chart> picture = {};
  std::vector<Table> tables = {};   // small ones
  std::vector<Table> details = {};  // every result: before the answer in a terminal, folded on a page
  std::vector<Fold> folds = {};
};

struct Document {
  std::string title = {};   // the question, or the decision
  Tone tone = Tone::plain;  // of the decision; plain: the title is a question
  std::string about = {};   // machines, date, version, how many results are verified: one line
  std::vector<Card> cards = {};
  std::vector<Sentence> notes = {};  // qualify the answers, the worst first
  std::vector<Fold> folds = {};      // machines, software, method
};

// ---- common parts

/// A cell with printable text; an empty cell if the text is empty.
TableCell text_cell(const std::string& text);

/// The tone of the title of a report whose command ends with this exit status.
Tone tone_of_status(int status);

/// Adds a sentence with printable text, unless the text is empty.
void add_sentence(std::vector<Sentence>& sentences, const std::string& text, Tone tone = Tone::plain);

/// Adds a table or a fold, unless it is empty.
void add_table(std::vector<Table>& tables, Table table);
void add_fold(std::vector<Fold>& folds, Fold fold);

/// Removes the first chart and returns it; empty if there is none.
std::optional<Chart> take_first(std::vector<Chart>& charts);

/// A fold of charts: "3 more pictures".
Fold more_pictures(std::vector<Chart> charts);

/// A chart of ratios, with 1 as the reference.
Chart ratio_chart(std::string name, std::string title, Chart::Kind kind, std::string label);

/// Joins the parts that are not empty into one printable line.
std::string about_line(std::vector<std::string> parts);

/// "breakeven 0.1.0"; empty for an empty version.
std::string tool_text(const std::string& version);

}  // namespace breakeven
