#include "worker/tuning.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/steady_clock.h"

namespace breakeven {
namespace {

constexpr double too_long = 2.0;     // seconds; a single call decides
constexpr double long_enough = 0.1;  // seconds; a single call is precise enough
// Seconds of calls timed together, so that the cost of waking threads is paid once.
constexpr double burst = 0.005;
constexpr int rounds = 7;
constexpr double clearly = 0.97;

double seconds(std::int64_t calls, const std::function<void()>& run) {
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < calls; ++i) run();
  return seconds_since(start) / static_cast<double>(calls);
}

}  // namespace

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t select_fastest(std::size_t count, const std::function<void(std::size_t)>& select,
                           const std::function<void()>& run) {
  std::vector<std::vector<double>> times(count);
  for (std::size_t i = 0; i < count; ++i) {
    select(i);
    if (i == 0) run();  // touches all memory for the first time
    times[i] = {seconds(1, run)};
    if (times[0][0] > too_long) count = 1;
  }
  for (int round = 0; count > 1 && times[0][0] < long_enough && round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      select(i);
      run();
      const auto calls = static_cast<std::int64_t>(burst / std::max(times[i].back(), 1e-7)) + 1;
      times[i].push_back(seconds(calls, run));
    }
  }
  // Compares medians, because a variant that is fast only without disturbances is not the fastest.
  const double first = upper_median(times[0]);
  double least = first * clearly;
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (upper_median(times[i]) < least) {
      least = upper_median(times[i]);
      fastest = i;
    }
  }
  select(fastest);
  return fastest;
}

}  // namespace breakeven
