#include "workloads/parallel.h"

#include <sched.h>

namespace breakeven {
namespace {

/// The size of the calling thread's affinity mask.
std::int64_t usable_cpus() {
  cpu_set_t mask;
  // The kernel refuses the call if it has more CPUs than the mask.
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) return CPU_COUNT(&mask);
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

int threads_for(std::int64_t elements) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20U;
  const std::int64_t worth = elements / worth_a_thread;
  return worth < 2 ? 1 : static_cast<int>(std::min(worth, usable_cpus()));
}

}  // namespace breakeven
