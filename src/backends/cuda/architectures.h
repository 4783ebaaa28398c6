#pragma once

#include <vector>

#include "backends/cuda/capability.h"

namespace breakeven::cuda {

/// Those that this program's kernels are compiled for (CMAKE_CUDA_ARCHITECTURES).
std::vector<Capability> compiled_architectures();

}  // namespace breakeven::cuda
