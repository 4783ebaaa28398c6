// The time of day for files, and the clock of a session.
#pragma once

#include <string>

#include "host/steady_clock.h"
#include "workloads/interface.h"

namespace breakeven {

/// The time of day in UTC, in ISO 8601 to the second.
std::string now_utc();

/// The clock of a session: the machine's own, or simulated time in a test.
class TimeSource : public Interface {
 public:
  /// Seconds since an unspecified moment; never goes back.
  virtual double now() const = 0;
  virtual void sleep(double seconds) = 0;
};

}  // namespace breakeven
