// Whether runs find their operands where the run before left them.
#pragma once

#include "workloads/parameters.h"

namespace breakeven {

/// `operands`, of what a program may meet with its operands in the caches or not:
///   reused    every run reads and writes the same memory: small operands stay in the caches
///   rotating  run after run takes another set of operands and result, of so many that each has left the
///             caches when its turn comes again: they come from memory, and nothing waits in between, as
///             for caches that are flushed
/// All sets have the same values.
Parameter operands_parameter();

/// False where the workload has no such parameter.
bool rotates(const Parameters& parameters);

/// Throws InvalidCase where operands that rotate would be brought to the device, too: that replaces them
/// anyway.
void check_operands(const Parameters& parameters);

}  // namespace breakeven
