// The time of day for files, and the time that passes.
#pragma once

#include <chrono>
#include <string>

namespace breakeven {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start);

/// ISO 8601, to the second.
std::string now_utc();

}  // namespace breakeven
