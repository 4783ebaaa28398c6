#pragma once

#include <vector>

#include "backends/cuda/capability.h"

namespace breakeven::cuda {

/// The compute capabilities for which this program's kernels are compiled (CMAKE_CUDA_ARCHITECTURES).
std::vector<Capability> compiled_architectures();

}  // namespace breakeven::cuda
