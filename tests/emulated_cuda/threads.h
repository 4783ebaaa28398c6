// The threads of a kernel on the host: a fiber each, which runs until it waits for others of its block.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <functional>

namespace emulated {

/// Whom a thread waits for.
enum class Meeting { none, warp, block };

constexpr unsigned warp_threads = 32;

/// Runs `thread` as every thread of every block, with threadIdx and its like telling which it is, one block
/// after the other. EMULATED_CUDA_ORDER=backwards takes threads and blocks in the other order: what a kernel
/// writes must not depend on it. Ends the program where the threads of a block do not all come to a meeting.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread);

// For the thread that runs.
void meet(Meeting meeting);
/// The block's shared memory, which a launch has the size of: NaN at first.
void* shared_memory();
/// 8 bytes of a thread of this one's warp, by lane. Ends the program where that thread has ended, or never
/// was.
void* exchanged(unsigned lane);
unsigned lane();

/// True where EMULATED_CUDA_ORDER says so.
bool backwards();

}  // namespace emulated

// What CUDA declares for code of kernels alone.
inline uint3 threadIdx{};
inline uint3 blockIdx{};
inline dim3 blockDim{};
inline dim3 gridDim{};
