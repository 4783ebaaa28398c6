// The algorithm by which a case was computed. The text of the algorithm is a program's own, in any language:
// the worker protocol says which parts of it describe a race (docs/worker-protocol.md, "algorithm"), and here
// alone they are read.
#pragma once

#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// The algorithm that a race chose, without what the text says of the race: "im2col" of "im2col, winograd
/// took 1.3x". That differs from one race to the next, even if the choice is the same.
std::string chosen_algorithm(std::string_view algorithm);

/// The algorithm, and the number of threads if it was chosen for the case: "im2col; 15 of 16 threads".
std::string algorithm_with_threads(const CaseResult& result);

}  // namespace breakeven
