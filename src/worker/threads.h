// Parallel loops for CPU backends. They use OpenMP if the backend is built with it.
#pragma once

#include <cstdint>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "workloads/parallel.h"

namespace breakeven {

/// The number of threads to compute with, set by the driver; 1 until then.
inline int thread_count = 1;
inline int threads() {
  return thread_count;
}
inline void set_threads(int count) {
  thread_count = count;
}

/// Calls body(item, thread) for every item in [0, items) on `count` threads. The next free thread takes the
/// next item. The body must not throw.
template <typename Body>
void parallel_items(std::int64_t items, [[maybe_unused]] int count, const Body& body) {
#ifdef _OPENMP
  if (count > 1 && items > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(count)
    for (std::int64_t i = 0; i < items; ++i) body(i, omp_get_thread_num());
    return;
  }
#endif
  for (std::int64_t i = 0; i < items; ++i) body(i, 0);
}

/// Calls body(thread) once on each of `count` threads.
template <typename Body>
void on_threads(int count, const Body& body) {
#ifdef _OPENMP
  if (count > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(count)
    for (int thread = 0; thread < count; ++thread) body(thread);
    return;
  }
#endif
  for (int thread = 0; thread < count; ++thread) body(thread);
}

/// Splits [0, count) into ranges of about equal length, one per thread, and calls body(first, last, thread).
template <typename Body>
void parallel_ranges(std::int64_t count, const Body& body) {
  const int all = threads();
  on_threads(all, [&](int thread) {
    const Part mine = part_of(count, thread, all);
    body(mine.first, mine.last(), thread);
  });
}

}  // namespace breakeven
