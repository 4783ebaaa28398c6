// The texts of a document and the lines of a text, for tests.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/render/cells.h"

namespace breakeven {

inline std::vector<std::string> texts(const std::vector<Sentence>& sentences) {
  std::vector<std::string> all;
  for (const Sentence& sentence : sentences) all.push_back(sentence.text);
  return all;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// The cells of a column as they are shown; empty if there is no such column, or no row has a value in it.
inline std::vector<std::string> column_texts(const Table& table, const std::string& name) {
  std::vector<std::string> all;
  for (const ShownColumn& column : shown_columns(table, /*on_page=*/true)) {
    if (column.column->name != name) continue;
    for (const TableRow& row : table.rows) all.push_back(column.text(row));
  }
  return all;
}

/// The whole text of a card, without its tables.
inline std::string all_text(const Card& card) {
  std::string all;
  for (const std::string& said : texts(card.answer)) all += said + "\n";
  for (const Fold& fold : card.folds) {
    all += fold.title + "\n";
    for (const std::string& said : texts(fold.sentences)) all += said + "\n";
  }
  return all;
}

}  // namespace breakeven
