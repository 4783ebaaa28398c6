// The clock of a session.
#pragma once

#include "workloads/interface.h"

namespace breakeven {

/// The machine's own clock, or simulated time in a test.
class TimeSource : public Interface {
 public:
  /// Seconds since an unspecified moment; never goes back.
  virtual double now() const = 0;
  virtual void sleep(double seconds) = 0;
};

}  // namespace breakeven
