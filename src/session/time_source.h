// The clock of a session.
#pragma once

#include "workloads/interface.h"

namespace breakeven {

/// The machine's own clock, or simulated time in a test.
class TimeSource : public Interface {
 public:
  /// Seconds since an unspecified moment; does not go back, unless the machine's clock is broken.
  virtual double now() const = 0;
  virtual void sleep(double seconds) = 0;
  /// The step by which now() advances, in seconds; 0 if it is too small to matter to a sample.
  virtual double clock_step() const { return 0; }
};

}  // namespace breakeven
