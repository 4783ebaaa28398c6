// "did you mean ...?"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment; Damerau, CACM 7(3), 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'X'?" for the nearest of `known`, or nothing where none is near: at most a third of the
/// longer word differs.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace breakeven
