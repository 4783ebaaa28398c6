// Suggests the known name closest to a mistyped one: "did you mean ...?"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
/// string alignment; Damerau, CACM 7(3), 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name in `known` that is nearest to `word`: the one with the fewest edits, at most a third of the
/// longer word; else the only one that begins with `word`, if that has three letters or more.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// The names of these items, in their order.
template <typename Items>
std::vector<std::string> names_in(const Items& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// Returns "; did you mean 'X'?" for the nearest name in `known`; empty if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace breakeven
