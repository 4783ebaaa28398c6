// Measures how long a wait has taken, for time limits that must hold even if the driver was stopped.
#pragma once

#include <chrono>

namespace breakeven {

/// Adds up the time of waits. Time in which this process was itself stopped (Ctrl-Z, a paused container) does
/// not count: a wait that took far longer than planned counts as planned.
class RunningTime {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RunningTime(Clock::time_point now) : last_(now) {}

  /// Adds the time since the last call, or since construction. It was planned to be at most `planned`.
  void add(Clock::time_point now, Clock::duration planned) {
    constexpr std::chrono::milliseconds late{100};  // delay that is normal on a busy machine
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
