// Workloads that move memory and compute almost nothing. They measure the limit of everything that reads much
// and computes little.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace breakeven {

/// "64 KiB": in the largest unit that divides it.
std::string bytes_text(std::int64_t bytes);

/// A workload on arrays of `bytes` bytes each.
struct Bandwidth {
  std::int64_t bytes = 0;
  Dtype dtype = Dtype::f32;
  bool tuned = true;  // by timing several variants of the same operation

  explicit Bandwidth(const Parameters& parameters);
  std::int64_t elements() const { return bytes / static_cast<std::int64_t>(facts(dtype).bytes()); }
  /// The shape of a result as long as the arrays. A list of numbers can be viewed in many shapes; this one
  /// has few positions, because checking each takes memory.
  OutputShape shape() const;
  /// The title for readers: "64 KiB f32".
  std::string title() const;
  /// Throws InvalidCase unless the arrays are whole cache lines.
  void check() const;

  static Parameter bytes_parameter();
  /// Sizes for conformance: the smallest, one that is no multiple of a vector or a number of threads, and
  /// some between cache sizes.
  static constexpr std::array<std::int64_t, 4> example_bytes{64, 4096, 100'032, 1 << 20};
};

/// The reference result of an array whose element i is value(i), a double.
template <typename Value>
Evidence array_truth(const OutputShape& shape, std::uint64_t seed, const std::vector<std::int64_t>& elements,
                     const Value& value) {
  Evidence truth;
  for (const std::int64_t e : elements) truth.elements.push_back(value(e));
  const auto signs = channel_signs(seed, shape.channels);
  std::vector<double> sums(static_cast<std::size_t>(shape.inner), 0.0);
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    const double sign = signs[static_cast<std::size_t>(channel)];
    for (std::int64_t i = 0; i < shape.inner; ++i)
      sums[static_cast<std::size_t>(i)] += sign * value(channel * shape.inner + i);
  }
  truth.projections = fold_positions(sums, seed);
  return truth;
}

/// The factor of triad: a[i] = b[i] + triad_factor c[i] (McCalpin, Memory Bandwidth and Machine Balance in
/// Current High Performance Computers, IEEE TCCA Newsletter, 1995).
inline constexpr double triad_factor = 3;

}  // namespace breakeven
