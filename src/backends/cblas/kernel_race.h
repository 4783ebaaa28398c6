// A race between kernels of the library, each in a process of its own, because the library reads its variable
// when it is loaded.
#pragma once

#include <span>
#include <vector>

#include "backends/cblas/kernel_choice.h"

namespace breakeven::cblas {

/// Times float32 products with the library's own choice (an empty `value`) and with the others, in turn, for
/// two to four seconds: this program is started once for each. Kernels whose process dies, hangs, or takes
/// other kernels than it was told to have no rounds.
std::vector<RacedKernels> race_kernels(std::span<const Kernels> contenders);

/// If this process was started by race_kernels(), takes its part in the race and ends.
void join_race();

}  // namespace breakeven::cblas
