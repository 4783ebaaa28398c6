// The time of day for files, and the clock that a session goes by.
#pragma once

#include <string>

#include "host/steady_clock.h"

namespace breakeven {

/// ISO 8601, to the second.
std::string now_utc();

/// The clock of a session: the machine's own, or a test's in simulated time.
class TimeSource {
 public:
  TimeSource() = default;
  virtual ~TimeSource() = default;
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;
  TimeSource(TimeSource&&) = delete;
  TimeSource& operator=(TimeSource&&) = delete;

  /// Seconds since some moment; never goes back.
  virtual double now() const = 0;
  virtual void sleep(double seconds) = 0;
};

class SteadyTime : public TimeSource {
 public:
  double now() const override;
  void sleep(double seconds) override;
};

}  // namespace breakeven
