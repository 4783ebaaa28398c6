// Definitions with which kernels can be compiled for the host. Included before everything else.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <typeinfo>
#include <utility>

#include "device.h"
#include "instructions.h"
#include "threads.h"

#undef __shared__
#define __shared__ static  // one block runs at a time
#undef __launch_bounds__
#define __launch_bounds__(...)

using std::isfinite;

inline void __syncthreads() {
  emulated::meet(emulated::Meeting::block);
}
inline void __syncwarp() {
  emulated::meet(emulated::Meeting::warp);
}
inline void __threadfence() {}

template <typename T>
T __ldcg(const T* from) {
  return *from;
}

template <typename T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to = before + value;
  return before;
}

template <typename T>
T __shfl_xor_sync(unsigned, T value, int distance) {
  static_assert(sizeof(T) <= 8);
  std::memcpy(emulated::exchanged(emulated::lane()), &value, sizeof value);
  __syncwarp();
  T other;
  std::memcpy(&other, emulated::exchanged(emulated::lane() ^ static_cast<unsigned>(distance)), sizeof other);
  __syncwarp();
  return other;
}

inline std::size_t __cvta_generic_to_shared(const void* memory) {
  return emulated::shared_address(memory);
}

namespace emulated {

/// The form in which translate.py writes kernel<<<grid, block, shared_bytes, stream>>>(arguments...).
template <typename Kernel, typename... Arguments>
void launch(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream, Kernel kernel,
            Arguments... arguments) {
  if (!launches(grid, block, shared_bytes)) return;
  static bool loaded = false;
  if (!loaded) loaded = loads_own_kernel(typeid(Kernel).name());
  if (!loaded) return;
  enqueue(stream, [=] { run_grid(grid, block, shared_bytes, [&] { kernel(arguments...); }); });
}

}  // namespace emulated

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute attribute, int value) {
  return emulated::allow(attribute, value);
}
