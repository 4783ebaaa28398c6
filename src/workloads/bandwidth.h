// Workloads that move memory and compute next to nothing: what bounds everything that reads a lot and
// computes little.
#pragma once

#include "workloads/workload.h"

namespace breakeven {

/// Arrays of `bytes` bytes each.
struct Bandwidth {
  std::int64_t bytes = 0;
  Dtype dtype = Dtype::f32;

  explicit Bandwidth(const Parameters& parameters);
  std::int64_t elements() const { return bytes / static_cast<std::int64_t>(facts(dtype).bytes); }
  /// Of a result as long as the arrays: of all ways to look at a list of numbers, one with few positions,
  /// because it takes memory to check each.
  OutputShape shape() const;
};

/// triad: a[i] = b[i] + triad_factor c[i] (McCalpin, Memory Bandwidth and Machine Balance in Current High
/// Performance Computers, IEEE TCCA Newsletter, 1995).
inline constexpr double triad_factor = 3;

}  // namespace breakeven
