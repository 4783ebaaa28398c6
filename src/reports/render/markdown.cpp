#include "reports/render/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <vector>

#include "reports/render/cells.h"
#include "reports/text.h"
#include "text/counted.h"
#include "text/printable.h"

namespace breakeven {
namespace {

/// The bytes available for the rows of all tables together, because GitHub refuses a job summary above 1 MiB.
constexpr std::size_t most_of_rows = 800'000;

enum class Escape { backslash, reference };

/// Escapes text as one line that GitHub shows as the printable() text is. Long texts are cut. Escaping makes
/// them at most nine times as long.
std::string escaped_line(std::string_view text, Escape escape) {
  constexpr std::size_t widest = 400;
  constexpr std::string_view special = "\\`*_[]|~#$!";
  // GitHub turns a name after @ into a mention even if @ is escaped, but not across a comment.
  static const std::map<char, std::string_view> replaced{
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'@', "@<!-- -->"}};
  std::string escaped;
  for (const char c : shorten(printable(text), widest)) {
    const auto by = replaced.find(c);
    if (special.find(c) == std::string_view::npos)
      escaped += by == replaced.end() ? std::string_view(&c, 1) : by->second;
    else
      escaped +=
          escape == Escape::backslash ? fmt::format("\\{}", c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return escaped;
}

/// The text in Markdown, even in a table's cell.
std::string markdown_text(std::string_view text) {
  // `::error::` would be a command if a log shows the text.
  return (text.starts_with(':') ? "\\" : "") + escaped_line(text, Escape::backslash);
}

/// The text in a block of HTML, where backslashes are shown.
std::string html_text(std::string_view text) {
  return escaped_line(text, Escape::reference);
}

/// A table row of cells that are already Markdown.
std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string stressed(const std::string& text, Tone tone) {
  return !text.empty() && (tone == Tone::best || tone == Tone::bad) ? fmt::format("**{}**", text) : text;
}

/// Renders a table, and subtracts the bytes of its rows from `left`.
std::string table_text(const Table& table, std::size_t& left) {
  if (table.rows.empty()) return "";
  const std::vector<ShownColumn> columns = shown_columns(table);
  const bool has_groups = !table.group_name.empty();
  std::vector<std::string> header;
  std::vector<std::string> rule;
  if (has_groups) {
    header.push_back(markdown_text(table.group_name));
    rule.emplace_back("---");
  }
  for (const ShownColumn& column : columns) {
    header.push_back(markdown_text(column.heading));
    rule.emplace_back(column.is_number() ? "---:" : "---");
  }
  std::string text = fmt::format("\n{}{}", markdown_row(header), markdown_row(rule));
  const std::string* group = nullptr;
  for (const TableRow& row : table.rows) {
    std::vector<std::string> cells;
    if (has_groups) cells.push_back(group == nullptr || *group != row.group ? markdown_text(row.group) : "");
    group = &row.group;
    for (const ShownColumn& column : columns) {
      const TableCell& cell = row.cells[column.index];
      std::string said = stressed(markdown_text(column.text(row)), cell.tone);
      if (!said.empty() && !cell.note.empty()) said += " " + markdown_text(cell.note);
      cells.push_back(std::move(said));
    }
    const std::string line = markdown_row(cells);
    if (line.size() > left)
      return text + fmt::format("\n{} did not fit: the file that `--out` writes has all.\n",
                                counted_text(&table.rows.back() - &row + 1, "more row", "more rows"));
    left -= line.size();
    text += line;
  }
  return text;
}

std::string titled(const Table& table, std::size_t& left) {
  const std::string text = table_text(table, left);
  return text.empty() || table.title.empty() ? text
                                             : fmt::format("\n**{}**\n{}", markdown_text(table.title), text);
}

std::string sentences_text(const std::vector<Sentence>& sentences) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < sentences.size() && i < most; ++i)
    text += fmt::format("- {}\n", stressed(markdown_text(sentences[i].text), sentences[i].tone));
  if (sentences.size() > most) text += fmt::format("- and {} more\n", sentences.size() - most);
  return text.empty() ? "" : "\n" + text;
}

std::string folded(std::string_view title, const std::string& text) {
  return text.empty()
             ? ""
             : fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", html_text(title), text);
}

}  // namespace

std::string render_markdown(const Document& document) {
  std::size_t left = most_of_rows;
  std::string text = fmt::format("# {}\n", markdown_text(document.title));
  if (!document.about.empty()) text += fmt::format("\n{}\n", markdown_text(document.about));
  for (const Card& card : document.cards) {
    if (document.cards.size() > 1) text += fmt::format("\n## {}\n", markdown_text(card.question));
    text += '\n';
    for (const Sentence& sentence : card.answer)
      text += fmt::format("**{}**\n", markdown_text(sentence.text));
    for (const Table& table : card.tables) text += titled(table, left);
  }
  if (!document.notes.empty()) text += "\n## Notes\n" + sentences_text(document.notes);
  // Folds come last, and share the room that is left.
  for (const Card& card : document.cards) {
    const std::string of = document.cards.size() > 1 ? ": " + card.question : "";
    for (const Fold& fold : card.folds) {
      std::string inside = sentences_text(fold.sentences);
      for (const Table& table : fold.tables) inside += titled(table, left);
      text += folded(fold.title + of, inside);
    }
    std::string details;
    for (const Table& table : card.details) details += titled(table, left);
    text += folded("All results" + of, details);
  }
  for (const Fold& fold : document.folds) text += folded(fold.title, sentences_text(fold.sentences));
  return text;
}

std::string render_answers(const Document& document) {
  std::string text;
  if (document.tone != Tone::plain) text = document.title + "\n";  // the decision
  for (const Card& card : document.cards) {
    for (const auto* answers : {&card.answer, &card.more_answers}) {
      for (const Sentence& sentence : *answers) text += sentence.text + "\n";
    }
  }
  for (const Sentence& note : document.notes) {
    if (note.tone == Tone::warning || note.tone == Tone::bad) text += fmt::format("warning: {}\n", note.text);
  }
  return without_ci_commands(text);
}

}  // namespace breakeven
