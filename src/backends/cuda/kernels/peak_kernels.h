// Functions that enqueue multiply-adds on operands in registers or in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/capability.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

/// A unit adds its dot products of `a` and `b`, 64 bytes each, to its accumulators `pieces` times. The
/// accumulators are emptied at least every `steps` times. Each thread writes the sum of the emptied values.
struct PeakWork {
  const void* a = nullptr;
  const void* b = nullptr;
  std::int64_t pieces = 0, steps = 0;
  double* sums = nullptr;  // one per thread of the launch
};

/// A kind of multiply-add instruction of a device.
struct PeakUnit {
  std::string name;             // the PTX ISA's name of the instruction
  std::int64_t dots = 0;        // per piece
  int threads = 0, blocks = 0;  // threads per block, blocks per multiprocessor
  void (*enqueue)(const PeakWork& work, unsigned blocks, unsigned threads, cudaStream_t stream) = nullptr;
};

/// The units of a device of this capability that compute in a dtype with its accumulator, the newest first,
/// which is usually the fastest. Empty if the device has none, or has a faster one for which this program has
/// no code.
std::vector<PeakUnit> peak_units(Dtype dtype, Capability capability);

/// The units of compute capability 9.0 alone (sm_90a/peak_wgmma.cu).
std::vector<PeakUnit> warpgroup_units(Dtype dtype);

}  // namespace breakeven::cuda
