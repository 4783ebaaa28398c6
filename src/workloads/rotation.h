// Selects whether runs find their operands in the caches.
#pragma once

#include "workloads/parameters.h"

namespace breakeven {

/// The parameter `operands`, which selects whether a program finds its operands in the caches:
///   reused    every run reads and writes the same memory: small operands stay in the caches
///   rotating  each run uses the next set of operands and result. There are so many sets that each has
///             left the caches when it is used again, so operands come from memory, without the pause
///             that flushing the caches needs
/// All sets have the same values.
Parameter operands_parameter();

/// True if operands rotate; false if the workload has no such parameter.
bool rotates(const Parameters& parameters);

/// Throws InvalidCase if rotating operands would also be copied to the device, which replaces them anyway.
void check_operands(const Parameters& parameters);

}  // namespace breakeven
