// A device of the host's memory, whose work is done as late as CUDA allows: when somebody waits for it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace emulated {

/// Enqueues `work`, or records it where the stream is recorded.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// True if the context is lost, which every library notices by itself.
bool is_lost();

/// Between these two the host must not wait: ends the program where it does, or may.
void close_gate();
void open_gate();
/// True if each launch waits until its work is done. CUDA_LAUNCH_BLOCKING=1 says it to everybody;
/// EMULATED_CUDA_BLOCKING=1 does not tell the program, as beneath a profiler.
bool launches_block();
/// The first call of a kernel, which loads it and may wait for what is under way. False where there is no
/// memory for its code.
bool loads_kernel(const char* kernel);
/// The same of one of the backend's own kernels: cudaGetLastError() says that there is no memory.
bool loads_own_kernel(const char* kernel);

/// Whether a launch is within the device's limits; where not, cudaGetLastError() says so.
bool launches(dim3 grid, dim3 block, std::size_t shared_bytes);
/// cudaFuncSetAttribute, of every kernel at once.
cudaError_t allow(cudaFuncAttribute attribute, int value);

/// For what a kernel will touch. Where not all of that is in one allocation of the device's, its stream's
/// work ends with an illegal access when it gets there, and the context is lost.
void will_touch(cudaStream_t stream, const void* memory, std::size_t bytes, const char* whose);

}  // namespace emulated
