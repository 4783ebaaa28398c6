// Multiply-adds on operands that stay in registers or in shared memory, enqueued by plain calls.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/capability.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

/// `pieces` times a unit adds its dot products of `a` and `b`, 64 bytes each, onto its accumulators, which
/// are emptied at least every `steps` of them. Each thread writes the sum of what it emptied.
struct PeakWork {
  const void* a = nullptr;
  const void* b = nullptr;
  std::int64_t pieces = 0, steps = 0;
  double* sums = nullptr;  // one a thread of the launch
};

/// A way that a device multiplies.
struct PeakUnit {
  std::string name;             // as the PTX ISA calls the instruction
  std::int64_t dots = 0;        // of one piece
  int threads = 0, blocks = 0;  // of a block, and of a processor
  void (*enqueue)(const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) = nullptr;
};

/// The units of a device of this capability that compute in a dtype with its accumulator, the newest first,
/// which is usually the fastest. Empty where the device has none, or has a faster one that this program has
/// no code for.
std::vector<PeakUnit> peak_units(Dtype dtype, Capability capability);

/// Of compute capability 9.0 alone (sm_90a/peak_wgmma.cu).
std::vector<PeakUnit> warpgroup_units(Dtype dtype);

}  // namespace breakeven::cuda
