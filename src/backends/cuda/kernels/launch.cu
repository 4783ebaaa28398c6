#include "backends/cuda/kernels/launch.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

__global__ void write_number(float* to, float number) {
  *to = number;
}

}  // namespace

void enqueue_write(float* to, float number, cudaStream_t stream) {
  write_number<<<1, 1, 0, stream>>>(to, number);
  check_launch();
}

}  // namespace breakeven::cuda
