// A race between kernels of the library. Each runs in its own process, because the library reads its variable
// when it is loaded.
#pragma once

#include <span>
#include <vector>

#include "backends/cblas/kernel_choice.h"

namespace breakeven::cblas {

/// Times float32 products with the library's own choice (an empty `value`) and with the others, in turn, for
/// two to four seconds. This program is started once for each. Kernels whose process dies, hangs, or uses
/// other kernels than requested have no rounds.
std::vector<RacedKernels> race_kernels(std::span<const Kernels> contenders);

/// Takes part in the race and exits, if this process was started by race_kernels().
void join_race();

}  // namespace breakeven::cblas
