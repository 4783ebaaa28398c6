#include "host/cache.h"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "host/threads.h"

namespace breakeven {

std::size_t last_level_cache_bytes() {
  long largest = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    largest = std::max(largest, sysconf(level));
  }
  constexpr std::size_t unknown = std::size_t{32} << 20U;
  return largest > 0 ? static_cast<std::size_t>(largest) : unknown;
}

void flush_caches() {
  // Twice the largest cache, written by a thread on every CPU: a CPU's own second-level cache is out of reach
  // of others.
  static std::vector<std::byte> other(2 * last_level_cache_bytes());
  constexpr std::size_t line = 64;
  std::vector<std::jthread> threads;
  for (const int cpu : cpus_of_thread(0)) {
    threads.emplace_back([cpu, first = threads.size() % line] {
      set_cpus_of_thread(0, {cpu});
      // Each thread writes its own byte of every line: no two write the same one.
      for (std::size_t i = first; i < other.size(); i += line) {
        auto* byte = reinterpret_cast<volatile unsigned char*>(&other[i]);
        *byte = static_cast<unsigned char>(*byte + 1U);
      }
    });
  }
}

}  // namespace breakeven
