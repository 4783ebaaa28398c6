// Operands that rotate (workloads/rotation.h): how many sets of them there are.
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/workload.h"

namespace breakeven {

/// How many sets of its operands and its result a case takes in turn: 1 where it reuses them, and then
/// nothing is asked for. Where they rotate, so many that together they take twice the bytes of the caches, as
/// caches do not strictly forget what is oldest. Throws Unsupported (worker/backend.h) where they are too
/// small for that, and OutOfMemory where that is more than is available.
std::int64_t operand_sets(const Case& problem, const std::function<std::int64_t()>& cache_bytes,
                          const std::function<std::int64_t()>& available_bytes);

/// The same of a backend that computes in the host's memory.
std::int64_t operand_sets_on_host(const Case& problem);

}  // namespace breakeven
