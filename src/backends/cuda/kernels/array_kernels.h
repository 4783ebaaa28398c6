// Kernels on long arrays, each enqueued by a plain call. Arrays are device memory holding f64 or f32, a whole
// number of 16 bytes. The arithmetic is in arrays.h, which the unit tests run on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "workloads/dtype.h"
#include "workloads/random.h"

namespace breakeven::cuda {

/// How an array is dealt out (arrays.h). Which is fastest depends on the card and on what its caches hold.
struct ArrayLaunch {
  int depth = 1;        // packs of 16 bytes that a thread asks for at once: 1, 2 or 4
  unsigned blocks = 0;  // at most, each taking as many tiles as that needs; 0: a block for each tile
  /// For Prepared::algorithm.
  std::string text() const;
};

/// array = the numbers of a stream
void fill_uniform(Dtype dtype, const RandomStream& numbers, void* array, std::int64_t bytes,
                  cudaStream_t stream);
/// to = from
void copy_array(const ArrayLaunch& launch, const void* from, void* to, std::int64_t bytes,
                cudaStream_t stream);
/// a = b + factor c
void scaled_sum(Dtype dtype, const ArrayLaunch& launch, const void* b, const void* c, double factor, void* a,
                std::int64_t bytes, cudaStream_t stream);

/// What sum_array() needs beside the array.
struct ArraySum {
  void* partial = nullptr;       // a number of the array's type for each block
  unsigned* finished = nullptr;  // blocks that have ended, zero between launches
};
/// result = the sum of an array, the same every time: `launch`, whose blocks must be told, decides the order.
void sum_array(Dtype dtype, const ArrayLaunch& launch, const void* array, std::int64_t bytes,
               const ArraySum& sum, void* result, cudaStream_t stream);

}  // namespace breakeven::cuda
