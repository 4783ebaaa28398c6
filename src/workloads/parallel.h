// Cuts work into equal parts, and runs loops on all cores with plain threads that end with the loop. No
// thread pool remains to disturb measurements, and the driver, which never computes, does not need OpenMP.
#pragma once

#include <algorithm>
#include <cstdint>
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
/// 0; each has its own thread. There are at most `threads` of them, and at most one per item. The body must
/// not throw.
template <typename Body>
void parallel_parts(std::int64_t count, int threads, const Body& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(count, 1, std::max(1, threads));
  std::vector<std::jthread> others;
  for (std::int64_t part = 1; part < parts; ++part) {
    const Part mine = part_of(count, part, parts);
    others.emplace_back([&body, part, mine] { body(part, mine.first, mine.last()); });
  }
  body(std::int64_t{0}, std::int64_t{0}, count / parts);
}

/// The number of threads for a loop over `elements`: at most one per core, each with so much to do (some
/// milliseconds) that starting it does not matter.
inline int threads_worth(std::int64_t elements) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20U;
  const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<std::int64_t>(elements / worth_a_thread, 1, cores));
}

/// Calls body(i) for every i in [0, count).
template <typename Body>
void parallel_for(std::int64_t count, int threads, const Body& body) {
  parallel_parts(count, threads, [&body](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i);
  });
}

}  // namespace breakeven
