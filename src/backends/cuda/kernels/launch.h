// A function that enqueues the smallest kernel.
#pragma once

#include <cuda_runtime.h>

namespace breakeven::cuda {

/// *to = number.
void enqueue_write(float* to, float number, cudaStream_t stream);

}  // namespace breakeven::cuda
