#include "reports/render/markdown.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "reports/render/cells.h"
#include "reports/render/markdown_text.h"

namespace breakeven {
namespace {

/// GitHub refuses a job summary above 1 MiB. These parts of it go to tables and to sentences beside the
/// answers, the first ones first; the rest is for what stands around them.
struct Room {
  std::size_t tables = 750'000;
  std::size_t sentences = 100'000;
};

/// Whether so much is left; takes it.
bool take(std::size_t& room, std::size_t size) {
  if (size > room) return false;
  room -= size;
  return true;
}

std::string stressed(const std::string& text, Tone tone) {
  return !text.empty() && (tone == Tone::best || tone == Tone::bad) ? fmt::format("**{}**", text) : text;
}

std::string table_text(const Table& table, Room& room) {
  if (table.rows.empty()) return "";
  struct Shown {
    std::size_t index;
    ColumnStyle style;
  };
  std::vector<Shown> shown;
  std::vector<std::string> header;
  std::vector<std::string> rule;
  if (!table.group_name.empty()) {
    header.push_back(markdown_text(table.group_name));
    rule.emplace_back("---");
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnStyle style = style_of(table, i);
    if (!style.is_used || table.columns[i].page_only) continue;
    shown.push_back({i, style});
    header.push_back(markdown_text(heading_text(table.columns[i], style)));
    rule.emplace_back(is_number(table.columns[i]) ? "---:" : "---");
  }
  std::string text = fmt::format("\n{}{}", markdown_row(header), markdown_row(rule));
  const std::string* group = nullptr;
  std::size_t rows = 0;
  for (const TableRow& row : table.rows) {
    std::vector<std::string> cells;
    if (!table.group_name.empty())
      cells.push_back(group == nullptr || *group != row.group ? markdown_text(row.group) : "");
    group = &row.group;
    for (const Shown& column : shown) {
      const TableCell& cell = row.cells[column.index];
      std::string said =
          stressed(markdown_text(cell_text(cell, table.columns[column.index], column.style)), cell.tone);
      if (!said.empty() && !cell.note.empty()) said += " " + markdown_text(cell.note);
      cells.push_back(std::move(said));
    }
    const std::string line = markdown_row(cells);
    if (!take(room.tables, line.size()))
      return text + fmt::format("\n{} more rows did not fit: the file that `--out` writes has them.\n",
                                table.rows.size() - rows);
    text += line;
    ++rows;
  }
  return text;
}

std::string titled(const Table& table, Room& room) {
  const std::string text = table_text(table, room);
  return text.empty() || table.title.empty() ? text
                                             : fmt::format("\n**{}**\n{}", markdown_text(table.title), text);
}

std::string sentences_text(const std::vector<Sentence>& sentences, Room& room) {
  std::string text;
  std::size_t left_out = 0;
  for (const Sentence& sentence : sentences) {
    const std::string line = fmt::format("- {}\n", stressed(markdown_text(sentence.text), sentence.tone));
    if (take(room.sentences, line.size())) {
      text += line;
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) text += fmt::format("- {} more did not fit.\n", left_out);
  return text.empty() ? "" : "\n" + text;
}

std::string folded(std::string_view title, const std::string& text) {
  return text.empty()
             ? ""
             : fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", markdown_text(title), text);
}

}  // namespace

std::string render_markdown(const Document& document) {
  Room room;
  const std::string notes = sentences_text(document.notes, room);  // before what is folded
  std::string text = fmt::format("# {}\n", markdown_text(document.title));
  if (!document.about.empty()) text += fmt::format("\n{}\n", markdown_text(document.about));
  for (const Card& card : document.cards) {
    if (document.cards.size() > 1) text += fmt::format("\n## {}\n", markdown_text(card.question));
    text += '\n';
    for (const Sentence& sentence : card.answer)
      text += fmt::format("**{}**\n", markdown_text(sentence.text));
    for (const Table& table : card.tables) text += titled(table, room);
    std::string details;
    for (const Table& table : card.details) details += titled(table, room);
    text += folded("All results", details);
    for (const Fold& fold : card.folds) {
      std::string inside = sentences_text(fold.sentences, room);
      for (const Table& table : fold.tables) inside += titled(table, room);
      text += folded(fold.title, inside);
    }
  }
  if (!notes.empty()) text += "\n## Notes\n" + notes;
  for (const Fold& fold : document.folds) text += folded(fold.title, sentences_text(fold.sentences, room));
  return text;
}

std::string render_answers(const Document& document) {
  std::string text;
  for (const Card& card : document.cards) {
    for (const Sentence& sentence : card.answer) text += sentence.text + "\n";
  }
  for (const Sentence& note : document.notes) {
    if (note.tone == Tone::warning || note.tone == Tone::bad) text += fmt::format("warning: {}\n", note.text);
  }
  return text;
}

}  // namespace breakeven
