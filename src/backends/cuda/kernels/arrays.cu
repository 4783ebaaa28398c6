#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "backends/cuda/kernels/array_kernels.h"
#include "backends/cuda/kernels/arrays.h"
#include "backends/cuda/kernels/numbers.cuh"

namespace breakeven::cuda {
namespace {

__device__ ThreadPlace place() {
  return {static_cast<std::int64_t>(blockIdx.x), static_cast<std::int64_t>(gridDim.x),
          static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
}

template <int depth, typename T, typename Terms>
__global__ void __launch_bounds__(block_threads) write_kernel(Terms terms, Pack<T>* out, std::int64_t packs) {
  write_part<depth>(terms, out, packs, place());
}

template <int depth, typename T>
__global__ void __launch_bounds__(block_threads)
    sum_kernel(const Pack<T>* values, std::int64_t packs, T* partial, unsigned* finished, T* result) {
  __shared__ bool last;
  const T sum = block_sum(sum_part<depth>(values, packs, place()));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    // The last block sees what all others wrote (CUDA Programming Guide, "Memory Fence Functions").
    __threadfence();
    last = atomicAdd(finished, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  T mine = 0;
  for (unsigned part = threadIdx.x; part < gridDim.x; part += blockDim.x) mine += __ldcg(&partial[part]);
  mine = block_sum(mine);
  if (threadIdx.x != 0) return;
  *result = mine;
  *finished = 0;
}

__global__ void write_number_kernel(float* to, float number) {
  *to = number;
}

unsigned blocks_of(const ArrayLaunch& launch, std::int64_t packs) {
  const std::int64_t tile = std::int64_t{launch.depth} * block_threads;
  const auto tiles = static_cast<unsigned>((packs + tile - 1) / tile);
  return launch.blocks == 0 ? tiles : std::min(tiles, launch.blocks);
}

/// Calls visit(depth) with `depth` as a constant.
template <typename Visit>
void with_depth(int depth, const Visit& visit) {
  switch (depth) {
    case 1:
      return visit(std::integral_constant<int, 1>{});
    case 2:
      return visit(std::integral_constant<int, 2>{});
    case 4:
      return visit(std::integral_constant<int, 4>{});
    default:
      throw std::logic_error(fmt::format("there are no kernels of depth {}", depth));
  }
}

template <typename Visit>
void with_float_type(Dtype dtype, const Visit& visit) {
  dtype == Dtype::f64 ? visit(double{}) : visit(float{});
}

template <typename T, typename Terms>
void write_array(const ArrayLaunch& launch, const Terms& terms, void* out, std::int64_t bytes,
                 cudaStream_t stream) {
  const std::int64_t packs = bytes / static_cast<std::int64_t>(sizeof(Pack<T>));
  with_depth(launch.depth, [&](auto depth) {
    write_kernel<depth.value>
        <<<blocks_of(launch, packs), block_threads, 0, stream>>>(terms, static_cast<Pack<T>*>(out), packs);
  });
  check_launch();
}

template <typename T>
const Pack<T>* packs_of(const void* array) {
  return static_cast<const Pack<T>*>(array);
}

}  // namespace

std::string ArrayLaunch::text() const {
  return fmt::format("{} bytes a thread at once, {}", 16 * depth,
                     blocks == 0 ? "a block for each tile" : fmt::format("at most {} blocks", blocks));
}

void fill_uniform(Dtype dtype, const RandomStream& numbers, void* array, std::int64_t bytes,
                  cudaStream_t stream) {
  with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int depth = 1;
    const std::int64_t packs = bytes / static_cast<std::int64_t>(sizeof(Pack<T>));
    write_kernel<depth><<<blocks_of({depth}, packs), block_threads, 0, stream>>>(
        Uniform<T, RandomStream>{numbers}, static_cast<Pack<T>*>(array), packs);
  });
  check_launch();
}

void copy_array(const ArrayLaunch& launch, const void* from, void* to, std::int64_t bytes,
                cudaStream_t stream) {
  write_array<float>(launch, Same<float>{packs_of<float>(from)}, to, bytes, stream);
}

void scaled_sum(Dtype dtype, const ArrayLaunch& launch, const void* b, const void* c, double factor, void* a,
                std::int64_t bytes, cudaStream_t stream) {
  with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    write_array<T>(launch, ScaledSum<T>{packs_of<T>(b), packs_of<T>(c), static_cast<T>(factor)}, a, bytes,
                   stream);
  });
}

void sum_array(Dtype dtype, const ArrayLaunch& launch, const void* array, std::int64_t bytes,
               const ArraySum& sum, void* result, cudaStream_t stream) {
  with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    const std::int64_t packs = bytes / static_cast<std::int64_t>(sizeof(Pack<T>));
    with_depth(launch.depth, [&](auto depth) {
      sum_kernel<depth.value><<<blocks_of(launch, packs), block_threads, 0, stream>>>(
          packs_of<T>(array), packs, static_cast<T*>(sum.partial), sum.finished, static_cast<T*>(result));
    });
  });
  check_launch();
}

void write_number(float* to, float number, cudaStream_t stream) {
  write_number_kernel<<<1, 1, 0, stream>>>(to, number);
  check_launch();
}

}  // namespace breakeven::cuda
