#include "backends/cuda/kernels/attention.h"
#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

// One block per head of each image.

template <typename T>
__global__ void attention_kernel(AttentionShape shape, const T* qkv, T* output) {
  extern __shared__ float memory[];
  const std::int64_t image = blockIdx.x / static_cast<unsigned>(shape.heads);
  const int head = static_cast<int>(blockIdx.x % static_cast<unsigned>(shape.heads));
  const std::int64_t elements = static_cast<std::int64_t>(shape.tokens) * shape.width();
  attend(Block{}, shape, head, qkv + 3 * image * elements, output + image * elements, memory);
}

template <typename T>
__global__ void attention_gradient_kernel(AttentionShape shape, const T* qkv, const T* gradient,
                                          T* qkv_gradient) {
  extern __shared__ float memory[];
  const std::int64_t image = blockIdx.x / static_cast<unsigned>(shape.heads);
  const int head = static_cast<int>(blockIdx.x % static_cast<unsigned>(shape.heads));
  const std::int64_t elements = static_cast<std::int64_t>(shape.tokens) * shape.width();
  attend_gradient(Block{}, shape, head, qkv + 3 * image * elements, gradient + image * elements,
                  qkv_gradient + 3 * image * elements, memory);
}

unsigned blocks_of(const AttentionShape& shape, std::int64_t images) {
  return static_cast<unsigned>(images * shape.heads);
}

}  // namespace

std::int64_t most_block_bytes() {
  int used = 0;
  check(cudaGetDevice(&used), "cudaGetDevice");
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, used),
        "cudaDeviceGetAttribute");
  return bytes;
}

void allow_attention(Dtype dtype, std::int64_t bytes) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    constexpr auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    check(cudaFuncSetAttribute(attention_kernel<T>, attribute, static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
    check(cudaFuncSetAttribute(attention_gradient_kernel<T>, attribute, static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
  });
}

void attention(Dtype dtype, const AttentionShape& shape, std::int64_t images, const void* qkv, void* output,
               cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    attention_kernel<T>
        <<<blocks_of(shape, images), block_threads, static_cast<std::size_t>(shape.forward_bytes()),
           stream>>>(shape, static_cast<const T*>(qkv), static_cast<T*>(output));
  });
  check_launch();
}

void attention_gradient(Dtype dtype, const AttentionShape& shape, std::int64_t images, const void* qkv,
                        const void* gradient, void* qkv_gradient, cudaStream_t stream) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    attention_gradient_kernel<T><<<blocks_of(shape, images), block_threads,
                                   static_cast<std::size_t>(shape.backward_bytes()), stream>>>(
        shape, static_cast<const T*>(qkv), static_cast<const T*>(gradient), static_cast<T*>(qkv_gradient));
  });
  check_launch();
}

}  // namespace breakeven::cuda
