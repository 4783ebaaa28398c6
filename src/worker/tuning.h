// Choosing between ways of doing the same work by timing them: which is fastest depends on sizes, library and
// CPU in ways no rule gets right.
#pragma once

#include <cstddef>
#include <functional>

namespace breakeven {

/// Calls select(i) and then run() for each of `count` ways, in turn, and returns the fastest; the first
/// unless another one is clearly faster. Leaves that one selected. Takes about 50 ms a way, and one call of
/// each where a call takes longer; where one takes more than two seconds, nothing but the first is tried.
std::size_t select_fastest(std::size_t count, const std::function<void(std::size_t)>& select,
                           const std::function<void()>& run);

}  // namespace breakeven
