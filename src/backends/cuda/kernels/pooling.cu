#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/pooling.h"

namespace breakeven::cuda {
namespace {

template <typename T>
__global__ void pool_kernel(PoolShape shape, const T* x, T* y, std::int64_t count) {
  const std::int64_t item = thread_index();
  if (item < count) pool(shape, x, y, item);
}

template <typename T>
__global__ void pool_gradient_kernel(PoolShape shape, const T* x, const T* gradient, T* x_gradient,
                                     bool of_relu, std::int64_t count) {
  const std::int64_t item = thread_index();
  if (item < count) pool_gradient(shape, x, gradient, x_gradient, of_relu, item);
}

}  // namespace

void max_pool(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x, void* y,
              cudaStream_t stream) {
  const std::int64_t count = images * shape.output_elements();
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    pool_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(shape, static_cast<const T*>(x),
                                                                    static_cast<T*>(y), count);
  });
  check_launch();
}

void max_pool_gradient(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x,
                       const void* gradient, void* x_gradient, bool of_relu, cudaStream_t stream) {
  const std::int64_t count = images * shape.gradient_items();
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    pool_gradient_kernel<T><<<blocks_for(count), block_threads, 0, stream>>>(
        shape, static_cast<const T*>(x), static_cast<const T*>(gradient), static_cast<T*>(x_gradient),
        of_relu, count);
  });
  check_launch();
}

}  // namespace breakeven::cuda
