#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"
#include "backends/cuda/kernels/pooling.h"

namespace breakeven::cuda {
namespace {

template <int count, typename T>
__global__ void pool_kernel(Squares<count> squares, const T* x, T* y, std::int64_t items) {
  const std::int64_t item = thread_index();
  if (item < items) pool(squares, x, y, item);
}

template <int count, typename T>
__global__ void pool_gradient_kernel(Squares<count> squares, const T* x, const T* gradient, T* x_gradient,
                                     bool of_relu, std::int64_t items) {
  const std::int64_t item = thread_index();
  if (item < items) pool_gradient(squares, x, gradient, x_gradient, of_relu, item);
}

}  // namespace

void max_pool(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x, void* y,
              cudaStream_t stream) {
  with_pack(dtype, shape.channels, [&](auto type, auto pack) {
    using T = decltype(type);
    constexpr int count = pack.value;
    const std::int64_t items = images * shape.output_elements() / count;
    pool_kernel<count, T><<<blocks_for(items), block_threads, 0, stream>>>(
        Squares<count>(shape, true), static_cast<const T*>(x), static_cast<T*>(y), items);
  });
  check_launch();
}

void max_pool_gradient(Dtype dtype, const PoolShape& shape, std::int64_t images, const void* x,
                       const void* gradient, void* x_gradient, bool of_relu, cudaStream_t stream) {
  with_pack(dtype, shape.channels, [&](auto type, auto pack) {
    using T = decltype(type);
    constexpr int count = pack.value;
    const std::int64_t items = images * shape.gradient_items() / count;
    pool_gradient_kernel<count, T><<<blocks_for(items), block_threads, 0, stream>>>(
        Squares<count>(shape, false), static_cast<const T*>(x), static_cast<const T*>(gradient),
        static_cast<T*>(x_gradient), of_relu, items);
  });
  check_launch();
}

}  // namespace breakeven::cuda
