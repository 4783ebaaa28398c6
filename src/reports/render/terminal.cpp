#include "reports/render/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/render/cells.h"
#include "reports/text.h"
#include "results/number_text.h"

namespace breakeven {
namespace {

constexpr std::size_t gap = 2;  // between columns
constexpr std::size_t narrowest = 40;

namespace colour {
constexpr std::string_view none, bold = "1", dim = "2", red = "31", green = "32", yellow = "33",
                                 heading = "1;36", best = "1;32";
}

/// Writes lines in one style. Its input may be any printable text.
class Page {
 public:
  explicit Page(const TerminalStyle& style)
      : style_(style), width_(std::max(narrowest, static_cast<std::size_t>(std::max(style.width, 0)))) {}

  std::size_t width() const { return width_; }

  /// The text in the characters of the style. Use it before measuring a width, so that the measured text is
  /// the written one.
  std::string show(std::string_view text) const {
    return style_.unicode ? std::string(text) : to_ascii(text);
  }

  /// The shown text, cut to at most `columns`.
  std::string cut(std::string_view text, std::size_t columns) const {
    if (style_.unicode) return shorten(text, columns);
    const std::string ascii = to_ascii(text);
    return ascii.size() <= columns ? ascii : ascii.substr(0, columns - 3) + "...";
  }

  void write(std::string_view shown, std::string_view code = colour::none) {
    if (style_.colour && !code.empty() && !shown.empty()) {
      text_ += fmt::format("\x1b[{}m{}\x1b[0m", code, shown);
    } else {
      text_ += shown;
    }
  }

  /// Ends a line and removes trailing spaces.
  void end_line() {
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
    text_ += '\n';
  }

  /// Writes the rest of a line that has got to column `from`: a first word in its own colour, then text, in
  /// at most `most_lines` lines, the later ones indented by `hang` more columns. Ends the line.
  void paragraph(std::string_view text, std::string_view code, std::size_t hang, std::size_t most_lines,
                 std::size_t from = 0, std::string_view word = "",
                 std::string_view word_code = colour::none) {
    std::string shown = show(word);
    std::size_t left = shown.size();  // bytes of the word that are left; it may be longer than a line
    if (!shown.empty() && !text.empty()) shown += ' ';
    shown += show(text);
    const std::size_t room = width_ - std::min(from + hang, width_ - narrowest / 2);
    std::vector<std::string> lines = wrap(shown, room);
    if (lines.size() > most_lines) {
      lines.resize(most_lines);
      lines.back() = wrap(lines.back(), room - 4).front() + show(" …");
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) write(std::string(from + hang, ' '));
      const std::size_t of_word = std::min(left, lines[i].size());
      write(std::string_view(lines[i]).substr(0, of_word), word_code);
      write(std::string_view(lines[i]).substr(of_word), code);
      left -= of_word;
      if (i + 1 < lines.size()) end_line();
    }
    end_line();
  }

  std::string take() { return std::move(text_); }

 private:
  TerminalStyle style_;
  std::size_t width_;
  std::string text_;
};

std::string_view colour_of(Tone tone) {
  // In the order of Tone.
  constexpr std::array<std::string_view, 6> colours{colour::none,  colour::dim,    colour::best,
                                                    colour::green, colour::yellow, colour::red};
  return colours.at(static_cast<std::size_t>(tone));
}

/// The room for the last text of a row, which is otherwise written in lines of its own.
constexpr std::size_t least_room = 22;

struct PlacedColumn : ShownColumn {
  std::size_t width = 0;
};

/// The layout of a table for a width. Columns that do not fit are written in lines of their own below the
/// row.
struct Layout {
  std::vector<PlacedColumn> columns = {}, below = {};
  std::size_t indent = 0;
};

std::string cell_text(const TableRow& row, const ShownColumn& column, const Page& page) {
  std::string text = column.text(row);
  const std::string& note = row.cells[column.index].note;
  return page.show(text.empty() || note.empty() ? text : fmt::format("{} {}", text, note));
}

/// True for a row with only its first and last columns: a result that is not ok has a reason instead of
/// numbers.
bool is_remark(const Table& table, const TableRow& row) {
  if (table.columns.size() < 4) return false;
  std::size_t used = 0;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (row.cells[i].value.index() != 0 && !table.columns[i].page_only) ++used;
  }
  return used == 2;
}

Layout lay_out(const Table& table, const Page& page) {
  constexpr std::size_t widest_text = 44;
  Layout layout{.indent = table.group_name.empty() ? 0U : 2U};
  std::vector<PlacedColumn> all;
  std::size_t used = layout.indent;
  std::vector<const TableRow*> measured;
  for (const TableRow& row : table.rows) {
    if (!is_remark(table, row)) measured.push_back(&row);
  }
  for (ShownColumn& shown : shown_columns(table)) {
    PlacedColumn& column = all.emplace_back(PlacedColumn{std::move(shown)});
    column.heading = page.show(column.heading);
    column.width = display_width(column.heading);
    for (const TableRow* row : measured)
      column.width = std::max(column.width, display_width(cell_text(*row, column, page)));
    if (!column.is_number()) column.width = std::min(column.width, widest_text);
    if (column.column->essential) used += column.width + gap;
  }
  for (PlacedColumn& column : all) {
    const bool fits = column.column->essential || used + column.width <= page.width();
    if (fits && !column.column->essential) used += column.width + gap;
    (fits ? layout.columns : layout.below).push_back(std::move(column));
  }
  // Names that are too long for the line are shortened. A text in the last column is broken instead.
  constexpr std::size_t shortest_name = 12;
  if (!layout.columns.empty() && !layout.columns.back().is_number())
    used -= layout.columns.back().width - std::min(layout.columns.back().width, least_room);
  if (used > page.width() + gap && !layout.columns.empty()) {
    std::size_t& first = layout.columns.front().width;
    first -= std::min(used - page.width() - gap, first - std::min(first, shortest_name));
  }
  // Then columns before the last one move below the row. The last column gets a line of its own if it must.
  std::size_t before_last = layout.indent;
  for (std::size_t i = 0; i + 1 < layout.columns.size(); ++i) before_last += layout.columns[i].width + gap;
  while (layout.columns.size() > 2 && before_last > page.width()) {
    const auto second_last = std::prev(layout.columns.end(), 2);
    before_last -= second_last->width + gap;
    layout.below.insert(layout.below.begin(), std::move(*second_last));
    layout.columns.erase(second_last);
  }
  return layout;
}

void write_below(Page& page, const TableRow& row, const Layout& layout) {
  const std::size_t from = layout.indent + 2;
  std::string line;
  const auto write_line = [&] {
    if (line.empty()) return;
    page.write(std::string(from, ' '));
    page.paragraph(line, colour::dim, 2, 4, from);
    line.clear();
  };
  for (const PlacedColumn& column : layout.below) {
    const std::string text = cell_text(row, column, page);
    if (text.empty()) continue;
    const std::string unit = column.style.unit.empty() ? "" : " " + page.show(column.style.unit);
    const std::string said = fmt::format("{} {}{}", page.show(column.column->name), text, unit);
    if (from + display_width(line) + 2 + display_width(said) > page.width()) write_line();
    line += fmt::format("{}{}", line.empty() ? "" : ", ", said);
  }
  write_line();
}

/// Writes the last text of a row, which has got to column `at`. It goes into lines of its own if there is too
/// little room after the row.
void write_end(Page& page, const std::string& text, std::string_view code, std::size_t at,
               std::size_t indent) {
  if (at + least_room > page.width()) {
    page.end_line();
    page.write(std::string(indent, ' '));
    at = indent;
  }
  page.paragraph(text, code, 2, 4, at);
}

void write_row(Page& page, const Table& table, const TableRow& row, const Layout& layout) {
  page.write(std::string(layout.indent, ' '));
  const bool remark = is_remark(table, row);
  std::size_t at = layout.indent;
  for (const PlacedColumn& column : layout.columns) {
    const TableCell& cell = row.cells[column.index];
    const std::string text = cell_text(row, column, page);
    const bool is_last = &column == &layout.columns.back();
    const bool is_number = column.is_number() && std::holds_alternative<double>(cell.value);
    if (remark && at > layout.indent && text.empty()) continue;
    if ((remark && at > layout.indent) ||
        (is_last && !is_number && at + display_width(text) > page.width())) {
      write_end(page, text, colour_of(cell.tone), at, layout.indent + 2);
      return write_below(page, row, layout);
    }
    page.write(is_number ? pad_left(text, column.width)
                         : pad_right(is_last ? text : page.cut(text, column.width), column.width),
               colour_of(cell.tone));
    page.write(std::string(gap, ' '));
    at += column.width + gap;
  }
  page.end_line();
  write_below(page, row, layout);
}

void write_table(Page& page, const Table& table, std::size_t most_rows) {
  if (table.rows.empty()) return;
  const Layout layout = lay_out(table, page);
  page.end_line();
  if (!table.title.empty()) page.paragraph(table.title, colour::heading, 2, 2);
  page.write(std::string(layout.indent, ' '));
  std::size_t at = layout.indent;
  for (const PlacedColumn& column : layout.columns) {
    const std::size_t width = std::min(column.width, page.width() - std::min(page.width(), at));
    if (width < std::min<std::size_t>(display_width(column.heading), 4)) break;
    const std::string heading = page.cut(column.heading, width);
    const std::string cell = column.is_number() ? pad_left(heading, width) : pad_right(heading, column.width);
    page.write(cell + std::string(gap, ' '), colour::dim);
    at += column.width + gap;
  }
  page.end_line();
  const std::string* group = nullptr;
  for (std::size_t i = 0; i < table.rows.size() && i < most_rows; ++i) {
    const TableRow& row = table.rows[i];
    if (!table.group_name.empty() && (group == nullptr || *group != row.group))
      page.paragraph(row.group, colour::bold, 4, 3);
    group = &row.group;
    write_row(page, table, row, layout);
  }
  if (table.rows.size() > most_rows)
    page.paragraph(
        fmt::format("and {} more: --out, --html and --markdown have all", table.rows.size() - most_rows),
        colour::dim, 2, 2);
}

void write_answer(Page& page, const Card& card) {
  for (const Sentence& sentence : card.answer)
    page.paragraph(sentence.text, sentence.tone == Tone::plain ? colour::bold : colour_of(sentence.tone), 2,
                   6);
  if (const std::size_t more = card.more_answers.size(); more > 0)
    page.paragraph(fmt::format("and {}: breakeven report FILE --answers - has all",
                               counted_text(more, "more answer", "more answers")),
                   colour::dim, 2, 2);
}

void write_notes(Page& page, const Document& document) {
  constexpr std::size_t most_notes = 8;
  std::size_t shown = 0;
  for (const Sentence& note : document.notes) {
    const bool is_warning = note.tone == Tone::warning;
    if (note.tone != Tone::quiet && ++shown > most_notes) continue;
    page.paragraph(note.text, is_warning ? colour::none : colour_of(note.tone), 2, 4, 0,
                   is_warning ? "Worth knowing:" : "", colour::yellow);
  }
  if (shown > most_notes)
    page.paragraph(fmt::format("and {}: breakeven report FILE --html PAGE has all",
                               counted_text(shown - most_notes, "more note", "more notes")),
                   colour::dim, 2, 2);
}

void write_card(Page& page, const Card& card, bool several, bool answer_first, bool is_answered) {
  constexpr std::size_t all = SIZE_MAX;
  constexpr std::size_t most_of_decisions = 200;
  if (several) {
    page.end_line();
    page.paragraph(card.question, colour::bold, 2, 3);
  }
  if (answer_first && !is_answered) write_answer(page, card);
  const bool has_details = !card.details.empty();
  for (const Table& table : has_details && !answer_first ? card.details : card.tables)
    write_table(page, table, answer_first ? most_of_decisions : all);
  if (answer_first) return;
  if (has_details) page.end_line();
  write_answer(page, card);
}

}  // namespace

std::string render_terminal(const Document& document, const TerminalOptions& options) {
  Page page(options.style);
  const bool several = document.cards.size() > 2;  // a second card says where a GPU wins
  page.paragraph(document.title, document.tone == Tone::plain ? colour::bold : colour_of(document.tone), 2,
                 4);
  // A decision comes first, before the tables it is based on.
  const bool decides = options.answer_first && document.cards.size() == 1;
  if (decides) write_answer(page, document.cards.front());
  if (!document.about.empty()) page.paragraph(document.about, colour::dim, 2, 3);
  for (const Card& card : document.cards) write_card(page, card, several, options.answer_first, decides);
  if (several && !options.answer_first) {
    page.end_line();
    page.paragraph("In short", colour::heading, 0, 1);
    for (const Card& card : document.cards)
      page.paragraph(fmt::format("{} {}", card.question, card.short_answer), colour::bold, 4, 3);
  }
  write_notes(page, document);
  return without_ci_commands(page.take());
}

}  // namespace breakeven
