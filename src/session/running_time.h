// How long a wait has taken, for time limits that a stopped driver must not break.
#pragma once

#include <chrono>

namespace breakeven {

/// Adds up the time of waits. Time in which this process was itself stopped (Ctrl-Z, a paused container) does
/// not count: a wait that took far longer than was planned counts as planned.
class RunningTime {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RunningTime(Clock::time_point now) : last_(now) {}

  /// Counts the time since the last call, or since the construction, which was planned to be at most this
  /// long.
  void add(Clock::time_point now, Clock::duration planned) {
    constexpr std::chrono::milliseconds late{100};  // as it may be on a busy machine
    const auto taken = now - last_;
    counted_ += taken > planned + late ? planned : taken;
    last_ = now;
  }

  Clock::duration counted() const { return counted_; }

 private:
  Clock::time_point last_;
  Clock::duration counted_{0};
};

}  // namespace breakeven
