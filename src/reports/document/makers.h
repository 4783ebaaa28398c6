// Functions that make common parts of documents.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/document/document.h"

namespace breakeven {

/// Values by key, in the order in which the keys first appear.
template <typename Key, typename Value>
using InOrder = std::vector<std::pair<Key, Value>>;

/// The value for a key, which is added if it is missing.
template <typename Key, typename Value>
Value& at_key(InOrder<Key, Value>& all, const Key& key) {
  auto found = std::ranges::find(all, key, &std::pair<Key, Value>::first);
  if (found == all.end()) found = all.insert(found, {key, Value{}});
  return found->second;
}

/// A cell with printable text; an empty cell if the text is empty.
TableCell text_cell(const std::string& text);

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
