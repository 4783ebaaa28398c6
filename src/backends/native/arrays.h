// Arrays that each thread fills and processes in its own part, so that on machines with several memories each
// part is in the memory of the thread's socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/cache.h"
#include "worker/threads.h"
#include "workloads/buffer.h"
#include "workloads/random.h"

namespace breakeven::native {

/// Calls body(first, last, thread) with element ranges on all threads. Parts begin at multiples of 64 bytes,
/// so that no two threads write one cache line and vectors are aligned.
template <typename T, typename Body>
void on_parts(std::int64_t elements, const Body& body) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
  parallel_ranges(elements / line, [&](std::int64_t first, std::int64_t last, int thread) {
    body(first * line, last * line, thread);
  });
}

/// The same, `times` times. Passes follow each other without a barrier, in one parallel region, so a thread
/// may be passes ahead of another: only for a body that reads nothing that another thread writes.
template <typename T, typename Body>
void on_parts_repeatedly(std::int64_t times, std::int64_t elements, const Body& body) {
  on_parts<T>(elements, [&](std::int64_t first, std::int64_t last, int thread) {
    for (std::int64_t pass = 0; pass < times; ++pass) {
      body(first, last, thread);
      asm volatile("" : : : "memory");  // prevents removal of repeated passes
    }
  });
}

/// A number of each thread, in a cache line of its own, and the sum of all.
template <typename T>
class SumOfThreads {
 public:
  SumOfThreads() : parts_(static_cast<std::size_t>(threads())) {}
  T& of(int thread) { return parts_[static_cast<std::size_t>(thread)].value; }
  T total() const {
    T sum = 0;
    for (const Padded& part : parts_) sum += part.value;
    return sum;
  }

 private:
  struct alignas(64) Padded {
    T value = 0;
  };
  std::vector<Padded> parts_;
};

/// True if arrays of this size in total do not fit in the caches, so that stores that bypass them may be
/// faster.
inline bool leave_caches(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes) > total_cache_bytes();
}

template <typename T>
Buffer<T> random_array(Dtype dtype, std::int64_t elements, const RandomStream& numbers) {
  Buffer<T> array(elements);
  on_parts<T>(elements, [&](std::int64_t first, std::int64_t last, int) {
    for (std::int64_t i = first; i < last; ++i) array[i] = static_cast<T>(input_value(dtype, numbers, i));
  });
  return array;
}

}  // namespace breakeven::native
