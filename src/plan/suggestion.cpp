#include "plan/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace breakeven {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i - 2, i - 1 and i of the table of distances between the first i letters of a and the first j of b.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, previous[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest_sensible_word = 64;  // the table's size is the product of both lengths
  constexpr std::size_t shortest_beginning = 3;
  if (word.size() > longest_sensible_word) return std::nullopt;
  std::optional<std::string> found;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= std::max(word.size(), candidate.size()) / 3 && distance < least) {
      least = distance;
      found = candidate;
    }
  }
  if (found || word.size() < shortest_beginning) return found;
  for (const std::string& candidate : known) {
    if (!candidate.starts_with(word)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto found = nearest(word, known);
  return found ? fmt::format("; did you mean '{}'?", *found) : "";
}

}  // namespace breakeven
