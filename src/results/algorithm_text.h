// Descriptions of algorithms, as backends give them.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// The text without what races measured, as in "im2col, winograd took 1.3x" or "tuned: best of 5, the first
/// took 1.07x": it differs from one race to the next, also where the choice is the same.
std::string algorithm_without_times(std::string_view algorithm);

}  // namespace breakeven
