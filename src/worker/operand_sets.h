// Chooses the number of operand sets for rotating operands (workloads/rotation.h).
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/workload.h"

namespace breakeven {

/// The number of sets of operands and result that a case uses in turn: 1 if it reuses them, in which case
/// neither function is called. Rotating sets together have twice the size of the caches, because caches do
/// not strictly evict the oldest data. Throws Unsupported (worker/backend.h) if the operands are too small
/// for that, and OutOfMemory if the sets need more memory than is available.
/// `ways` is the number of algorithms that race, each with its own sets.
std::int64_t operand_sets(const Case& problem, const std::function<std::int64_t()>& cache_bytes,
                          const std::function<std::int64_t()>& available_bytes, int ways = 1);

/// The same for a backend that computes in host memory.
std::int64_t operand_sets_on_host(const Case& problem, int ways = 1);

}  // namespace breakeven
