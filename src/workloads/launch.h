// The cost of starting work and of waiting for its end, without any work.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// One number is written, as evidence that something ran.
struct Launch {
  bool waits = true;  // waits for the end of each before it starts the next

  explicit Launch(const Parameters& parameters);
  /// The number that is written for a seed.
  static float number(std::uint64_t seed);
};

}  // namespace breakeven
