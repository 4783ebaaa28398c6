// The times that a clock can have measured.
#pragma once

#include <cmath>

namespace breakeven {

/// The shortest and the longest time of one iteration that is believed, in seconds. The shortest is below one
/// cycle of any processor; the longest is four months.
inline constexpr double shortest_seconds = 1e-10, longest_seconds = 1e7;

/// False for what is not finite, too.
constexpr bool is_possible(double seconds) {
  return seconds >= shortest_seconds && seconds <= longest_seconds;
}

/// True for what may be an amount of time or energy beside that: at least 0.
inline bool is_amount(double value) {
  return value >= 0 && std::isfinite(value);
}

}  // namespace breakeven
