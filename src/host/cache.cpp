#include "host/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "host/system_file.h"
#include "host/threads.h"

namespace breakeven {

namespace {

constexpr const char* described_cpus = "/sys/devices/system/cpu";

}  // namespace

std::vector<std::size_t> described_caches(const std::vector<int>& cpus, const std::filesystem::path& folder) {
  std::vector<std::size_t> sizes;
  std::set<std::pair<std::string, std::string>> counted;  // level, and the CPUs that share it
  for (const int cpu : cpus) {
    std::error_code error;
    const std::filesystem::path caches = folder / fmt::format("cpu{}", cpu) / "cache";
    for (std::filesystem::directory_iterator entry(caches, error), end; !error && entry != end;
         entry.increment(error)) {
      const auto level = first_in<std::string>(entry->path() / "level");
      const bool holds_data = first_in<std::string>(entry->path() / "type") != "Instruction";
      if (!level || level == "1" || !holds_data) continue;
      const auto sharing = first_in<std::string>(entry->path() / "shared_cpu_list");
      if (!counted.emplace(*level, sharing.value_or("")).second) continue;
      sizes.push_back(first_in<std::size_t>(entry->path() / "size").value_or(0) << 10U);  // such as "2048K"
    }
  }
  return sizes;
}

namespace {

std::size_t largest_cache_of(const std::vector<std::size_t>& described) {
  std::size_t largest = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
    largest = std::max(largest, static_cast<std::size_t>(std::max(sysconf(level), 0L)));
  // glibc knows no cache of ARM, and no third level in some virtual machines.
  for (const std::size_t size : described) largest = std::max(largest, size);
  constexpr std::size_t unknown = std::size_t{32} << 20U;
  return largest > 0 ? largest : unknown;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  return largest_cache_of(described_caches(cpus_of_thread(0), described_cpus));
}

std::size_t total_cache_bytes() {
  const auto sizes = described_caches(cpus_of_thread(0), described_cpus);
  return std::max(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), largest_cache_of(sizes));
}

std::size_t l2_share_bytes(int cpu, const std::vector<int>& cpus) {
  constexpr std::size_t unknown = std::size_t{256} << 10U;
  for (int index = 0; index < 8; ++index) {
    const std::filesystem::path cache =
        fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
    if (first_in<std::string>(cache / "level") != "2") continue;
    const auto kib = first_in<std::size_t>(cache / "size").value_or(0);
    if (kib == 0) return unknown;
    const auto sharing = first_in<std::string>(cache / "shared_cpu_list");
    const auto sharers = std::count_if(cpus.begin(), cpus.end(), [&](int other) {
      return first_in<std::string>(fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/shared_cpu_list",
                                               other, index)) == sharing;
    });
    return (kib << 10U) / static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, sharers));
  }
  return unknown;
}

void flush_caches() {
  // Twice the size of the largest cache. A thread on every CPU writes it, because a CPU cannot flush the
  // second-level cache of another.
  static std::vector<std::byte> other(2 * last_level_cache_bytes());
  constexpr std::size_t line = 64;
  std::atomic<bool> refused = false;
  std::vector<std::jthread> threads;
  for (const int cpu : cpus_of_thread(0)) {
    threads.emplace_back([cpu, first = threads.size() % line, &refused] {
      if (!set_cpus_of_thread(0, {cpu})) refused = true;
      // Each thread writes its own byte of every line, so no two threads write the same byte.
      for (std::size_t i = first; i < other.size(); i += line) {
        auto* byte = reinterpret_cast<volatile unsigned char*>(&other[i]);
        *byte = static_cast<unsigned char>(*byte + 1U);
      }
    });
  }
  threads.clear();  // waits for them
  if (refused)
    throw std::runtime_error(
        "caches cannot be flushed: the kernel lets no thread be held on a CPU (sched_setaffinity); allow the "
        "call in the sandbox");
}

}  // namespace breakeven
