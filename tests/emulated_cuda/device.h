// A device in host memory. It runs work as late as CUDA allows: when someone waits for it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace emulated {

/// Enqueues `work`, or records it if the stream is being recorded.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// True if the context is lost. Every library detects this by itself.
bool is_lost();

/// Between these two the host must not wait: aborts the program if it does, or may.
void close_gate();
void open_gate();
/// True if each launch waits until its work is done. CUDA_LAUNCH_BLOCKING=1 is visible to the program;
/// EMULATED_CUDA_BLOCKING=1 is not, like a profiler.
bool launches_block();
/// Loads a kernel at its first call, which may wait for work in progress. Returns false if there is no memory
/// for its code.
bool loads_kernel(const char* kernel);
/// The same for the backend's own kernels. cudaGetLastError() reports that there is no memory.
bool loads_own_kernel(const char* kernel);

/// True if a launch is within the device's limits. If it is not, cudaGetLastError() reports it.
bool launches(dim3 grid, dim3 block, std::size_t shared_bytes);
/// cudaFuncSetAttribute, for every kernel at once.
cudaError_t allow(cudaFuncAttribute attribute, int value);

/// Announces the memory that a kernel will use. If it is not inside one device allocation, the stream's work
/// ends there with an illegal access, and the context is lost.
void will_touch(cudaStream_t stream, const void* memory, std::size_t bytes, const char* whose);

}  // namespace emulated
