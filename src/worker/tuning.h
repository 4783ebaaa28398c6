// Selects between variants of the same work by timing them. Which is fastest depends on sizes, library and
// CPU in ways that no rule predicts.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace breakeven {

/// Calls select(i) and then run() for each of `count` variants, in turn, and returns the fastest one, or the
/// first unless another is clearly faster. Leaves the returned variant selected. Takes about 50 ms per
/// variant, or one call of each if a call takes longer. If the first call takes more than two seconds, no
/// other variant is tried.
std::size_t select_fastest(std::size_t count, const std::function<void(std::size_t)>& select,
                           const std::function<void()>& run);

/// The median of at least one value; of an even number of them the larger of the two in the middle.
double upper_median(std::vector<double> values);

}  // namespace breakeven
