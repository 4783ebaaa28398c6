// What it takes to start work and to know that it is done, where there is none to do.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// One number is written, so that it can be seen that something ran.
struct Launch {
  bool waits = true;  // each for its end, before the next is started

  explicit Launch(const Parameters& parameters);
  /// The number, by the case's seed.
  static float number(std::uint64_t seed);
};

}  // namespace breakeven
