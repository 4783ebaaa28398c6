// Functions that enqueue kernels on long arrays, and the smallest kernel. Arrays are device memory of f64 or
// f32, in multiples of 16 bytes. The arithmetic is in arrays.h, which the unit tests run on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "workloads/dtype.h"
#include "workloads/random.h"

namespace breakeven::cuda {

/// The distribution of an array over threads (arrays.h). The fastest one depends on the GPU and on the
/// contents of its caches.
struct ArrayLaunch {
  int depth = 1;        // packs of 16 bytes that a thread loads at once: 1, 2 or 4
  unsigned blocks = 0;  // at most; each processes several tiles if needed; 0: a block per tile
  /// For Prepared::algorithm().
  std::string text() const;
};

/// array = the numbers of a stream.
void fill_uniform(Dtype dtype, const RandomStream& numbers, void* array, std::int64_t bytes,
                  cudaStream_t stream);
/// to = from
void copy_array(const ArrayLaunch& launch, const void* from, void* to, std::int64_t bytes,
                cudaStream_t stream);
/// a = b + factor c
void scaled_sum(Dtype dtype, const ArrayLaunch& launch, const void* b, const void* c, double factor, void* a,
                std::int64_t bytes, cudaStream_t stream);

/// The memory that sum_array() needs besides the array.
struct ArraySum {
  void* partial = nullptr;       // one number of the array's type per block
  unsigned* finished = nullptr;  // number of finished blocks; zero between launches
};
/// result = the sum of an array. `launch`, whose number of blocks must not be 0, determines the order, so the
/// result is the same every time.
void sum_array(Dtype dtype, const ArrayLaunch& launch, const void* array, std::int64_t bytes,
               const ArraySum& sum, void* result, cudaStream_t stream);

/// *to = number, by one thread.
void write_number(float* to, float number, cudaStream_t stream);

}  // namespace breakeven::cuda
