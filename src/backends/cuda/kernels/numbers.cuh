// Parts that only the device has: 16-bit element types, and teams of threads.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "backends/cuda/device.h"
#include "backends/cuda/kernels/arrays.h"
#include "backends/cuda/kernels/host_device.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

template <>
struct Number<__half> {
  __device__ static float load(__half x) { return __half2float(x); }
  __device__ static __half store(float x) { return __float2half_rn(x); }
};
template <>
struct Number<__nv_bfloat16> {
  __device__ static float load(__nv_bfloat16 x) { return __bfloat162float(x); }
  __device__ static __nv_bfloat16 store(float x) { return __float2bfloat16_rn(x); }
};

/// A team of the 32 threads of a warp. The block is a row of whole warps.
struct Warp {
  static constexpr int threads = 32;
  __device__ static int rank() { return static_cast<int>(threadIdx.x) % threads; }
  __device__ static int size() { return threads; }
  __device__ static void sync() { __syncwarp(); }
  template <typename T>
  __device__ static T sum(T x) {
    for (int distance = threads / 2; distance > 0; distance /= 2) x += __shfl_xor_sync(~0U, x, distance);
    return x;
  }
};

/// A team of all threads of a block with a single row.
struct Block {
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static int size() { return static_cast<int>(blockDim.x); }
  __device__ static void sync() { __syncthreads(); }
};

constexpr int block_threads = 256;

/// The sum over a block of block_threads threads, in its first thread; 0 in the others. Between two calls,
/// the block must synchronize.
template <typename T>
__device__ T block_sum(T mine) {
  __shared__ T of_warps[block_threads / Warp::threads];
  const T sum = Warp::sum(mine);
  if (Warp::rank() == 0) of_warps[threadIdx.x / Warp::threads] = sum;
  __syncthreads();
  T total = 0;
  if (threadIdx.x == 0) {
    for (const T warp : of_warps) total += warp;
  }
  return total;
}

/// The number of blocks for one thread per item.
inline unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + block_threads - 1) / block_threads);
}

/// The index of this thread in the whole launch.
__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

inline void check_launch() {
  check(cudaGetLastError(), "launching a kernel");
}

/// Calls visit(T{}), where T is the device's type for `dtype`.
template <typename Visit>
void with_type(Dtype dtype, const Visit& visit) {
  switch (dtype) {
    case Dtype::f32:
    case Dtype::tf32:
      return visit(float{});
    case Dtype::f16:
      return visit(__half{});
    case Dtype::bf16:
      return visit(__nv_bfloat16{});
    default:
      throw std::logic_error("networks are not computed in this type");
  }
}

/// Calls visit(T{}, pack) with the number of values per thread as a constant: as many as one instruction
/// moves if `length`, the length of rows that must not be crossed, is a multiple of it; else one.
template <typename Visit>
void with_pack(Dtype dtype, std::int64_t length, const Visit& visit) {
  with_type(dtype, [&](auto type) {
    constexpr int widest = widest_pack<decltype(type)>;
    if (length % widest == 0) {
      visit(type, std::integral_constant<int, widest>{});
    } else {
      visit(type, std::integral_constant<int, 1>{});
    }
  });
}

}  // namespace breakeven::cuda
