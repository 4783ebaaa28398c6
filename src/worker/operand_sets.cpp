#include "worker/operand_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cache.h"
#include "host/cpu.h"
#include "worker/backend.h"
#include "workloads/rotation.h"

namespace breakeven {

std::int64_t operand_sets(const Case& problem, const std::function<std::int64_t()>& cache_bytes,
                          const std::function<std::int64_t()>& available_bytes, int ways) {
  if (!rotates(problem.parameters)) return 1;
  const auto caches = static_cast<double>(cache_bytes());
  const auto available = static_cast<double>(available_bytes());
  constexpr double most = 1 << 16;  // because libraries keep data for each set
  const double one = problem.workload->memory(problem.parameters);
  const double sets = std::max(2.0, std::ceil(2 * caches / one));
  if (sets > most) {
    throw Unsupported(
        fmt::format("operands that rotate must be larger: of {:.3g} KiB each, it takes {:.0f} sets to "
                    "leave caches of {:.3g} MiB, and there are {:.0f} at most",
                    one / 0x1p10, sets, caches / 0x1p20, most));
  }
  if (ways * sets * one > available) {
    throw OutOfMemory(fmt::format("{:.0f} sets of operands{} need {:.3g} GiB and {:.3g} GiB is available",
                                  sets, ways == 1 ? "" : fmt::format(" for each of {} algorithms", ways),
                                  ways * sets * one / 0x1p30, available / 0x1p30));
  }
  return static_cast<std::int64_t>(sets);
}

std::int64_t operand_sets_on_host(const Case& problem, int ways) {
  return operand_sets(
      problem, [] { return static_cast<std::int64_t>(total_cache_bytes()); }, available_memory, ways);
}

}  // namespace breakeven
