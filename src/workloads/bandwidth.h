// Workloads that move memory and compute almost nothing. They measure the limit of everything that reads much
// and computes little.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/parallel.h"
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

/// The most elements that array_truth() reads at once.
inline constexpr std::int64_t array_block = 256;

/// The reference result of an array: read(first, count, values) writes its elements `first` to `first + count
/// - 1`. Several threads call it.
template <typename Read>
Evidence array_truth(const OutputShape& shape, std::uint64_t seed, const std::vector<std::int64_t>& elements,
                     const Read& read) {
  Evidence truth;
  truth.elements.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) read(elements[i], 1, &truth.elements[i]);
  const auto signs = channel_signs(seed, shape.channels);
  std::vector<double> sums(static_cast<std::size_t>(shape.inner), 0.0);
  // Each position has its sum in the order of the channels, whatever the number of threads.
  const std::int64_t blocks = (shape.inner + array_block - 1) / array_block;
  parallel_for(blocks, threads_for(shape.elements()), [&](std::int64_t block) {
    const std::int64_t first = block * array_block;
    const std::int64_t count = std::min(array_block, shape.inner - first);
    double* const into = sums.data() + first;
    std::array<double, array_block> values{};
    for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
      read(channel * shape.inner + first, count, values.data());
      const double sign = signs[static_cast<std::size_t>(channel)];
      for (std::int64_t i = 0; i < count; ++i) into[i] += sign * values[static_cast<std::size_t>(i)];
    }
  });
  truth.projections = fold_positions(sums, seed);
  return truth;
}

/// The factor of triad: a[i] = b[i] + triad_factor c[i] (McCalpin, Memory Bandwidth and Machine Balance in
/// Current High Performance Computers, IEEE TCCA Newsletter, 1995).
inline constexpr double triad_factor = 3;

}  // namespace breakeven
