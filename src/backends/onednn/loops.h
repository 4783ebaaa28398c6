// Elementwise work on all threads, in the OpenMP team that the library's primitives use, too.
#pragma once

#include <cstdint>

namespace breakeven::onednn {

/// Calls body(first, last) on ranges that cover [0, count). Few items stay on the calling thread, because
/// waking the others costs more. The body must not throw.
template <typename Body>
void parallel_ranges(std::int64_t count, const Body& body) {
#ifdef _OPENMP
  constexpr std::int64_t range = 4096;
  if (count > 2 * range) {
    const std::int64_t ranges = (count + range - 1) / range;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < ranges; ++i)
      body(i * range, (i + 1) * range < count ? (i + 1) * range : count);
    return;
  }
#endif
  body(std::int64_t{0}, count);
}

/// Calls body(item) for every item. A single item stays on the calling thread.
template <typename Body>
void parallel_items(std::int64_t count, const Body& body) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > 1)
#endif
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

/// The bits of a bf16 or f16 number. As an integer, it has the same sign.
using HalfBits = std::int16_t;
/// Maps numbers to values that compare like the numbers; -0 comes before 0.
inline float in_order(float x) {
  return x;
}
inline HalfBits in_order(HalfBits x) {
  return static_cast<HalfBits>(x ^ ((x >> 15) & 0x7fff));  // sign and magnitude to two's complement
}

}  // namespace breakeven::onednn
