// Parallel loops for CPU backends. They use OpenMP if the backend is built with it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

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

/// Has this program's parallel loops, and those of libraries on the same OpenMP, take `count` threads: no
/// fewer where the machine is busy, because libraries that share work by the number they expect would leave a
/// part of it undone, and no more inside of a loop. Throws if OpenMP does not grant them.
inline void set_threads(int count) {
  thread_count = count;
#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_max_active_levels(1);
  omp_set_num_threads(count);
  int granted = 1;
#pragma omp parallel num_threads(count)
#pragma omp single
  granted = omp_get_num_threads();
  if (granted == count) return;
  throw std::runtime_error(
      fmt::format("OpenMP grants {} of {} threads: unset OMP_THREAD_LIMIT and the like (OMP_*, KMP_*), or "
                  "use --threads {}",
                  granted, count, granted));
#endif
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
