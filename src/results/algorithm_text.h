// Text that backends give to describe algorithms.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// Removes what races measured, as in "im2col, winograd took 1.3x" or "tuned: best of 5, the first took
/// 1.07x". These times differ from one race to the next, even if the choice is the same.
std::string algorithm_without_times(std::string_view algorithm);

}  // namespace breakeven
