// Cuts work into equal parts, and runs loops on all cores with plain threads that end with the loop. No
// thread pool remains to disturb measurements, and the driver, which never computes, does not need OpenMP.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace breakeven {

/// Consecutive items, [first, last()).
struct Part {
  std::int64_t first = 0, count = 0;
  constexpr std::int64_t last() const { return first + count; }
};

/// Part `index` of [0, length), cut into `parts` parts of about equal length.
constexpr Part part_of(std::int64_t length, std::int64_t index, std::int64_t parts) {
  const std::int64_t first = length * index / parts;
  return {.first = first, .count = length * (index + 1) / parts - first};
}

/// Calls body(part, first, last) for contiguous ranges that together are [0, count). Parts are numbered from
/// 0; each has its own thread. There are at most `threads` of them, and at most one per item. If bodies
/// throw, the exception of the first of these parts is thrown again when all have ended.
template <typename Body>
void parallel_parts(std::int64_t count, int threads, const Body& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(count, 1, std::max(1, threads));
  std::vector<std::exception_ptr> exceptions(static_cast<std::size_t>(parts));
  const auto run = [&](std::int64_t part) {
    try {
      const Part mine = part_of(count, part, parts);
      body(part, mine.first, mine.last());
    } catch (...) {
      exceptions[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(parts));
    std::int64_t part = 1;
    try {
      for (; part < parts; ++part) others.emplace_back(run, part);
    } catch (const std::system_error&) {
      // No more threads are allowed here. This one does the other parts.
    }
    run(0);
    for (; part < parts; ++part) run(part);
  }
  for (const std::exception_ptr& exception : exceptions) {
    if (exception) std::rethrow_exception(exception);
  }
}

/// The number of threads for a loop over `elements`: at most one for each CPU that the calling thread may run
/// on, each with so much to do (some milliseconds) that starting it does not matter.
int threads_for(std::int64_t elements);

/// Calls body(i) for every i in [0, count).
template <typename Body>
void parallel_for(std::int64_t count, int threads, const Body& body) {
  parallel_parts(count, threads, [&body](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
}

}  // namespace breakeven
