// The threads of a kernel on the host: a fiber each, which runs until it waits for others of its block.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <functional>

namespace emulated {

/// The threads for which a thread waits.
enum class Meeting { none, warp, block };

constexpr unsigned warp_threads = 32;

/// Runs `thread` as every thread of every block, one block after another; threadIdx and the like identify it.
/// Aborts the program if not all threads of a block reach a barrier.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread);

// Functions for the running thread.
void meet(Meeting meeting);
/// The block's shared memory, of the size of the launch: NaN at first.
void* shared_memory();
/// 8 bytes of a thread of the same warp, by lane. Aborts the program if that thread has ended, or does not
/// exist.
void* exchanged(unsigned lane);
unsigned lane();

/// True if threads and blocks of the next launch run in reverse order, and the next branch of a graph as late
/// as possible: results must not depend on it. EMULATED_CUDA_ORDER is forwards (default), backwards, or
/// mixed, which draws by lot each time.
bool backwards();

}  // namespace emulated

// Declarations that CUDA provides in kernels only.
inline uint3 threadIdx{};
inline uint3 blockIdx{};
inline dim3 blockDim{};
inline dim3 gridDim{};
