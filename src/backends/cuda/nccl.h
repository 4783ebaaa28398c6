// NVIDIA's library for communication between GPUs, opened when several ranks first need it. Without it they
// communicate by MPI.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <string>

namespace breakeven::cuda::nccl {

// The part of NCCL's binary interface that is used, which has been the same since version 2.0 (nccl.h). It is
// declared here so that a build needs no NCCL; tests/emulated_cuda/nccl_declarations.cpp compares it with
// nccl.h.
struct UniqueId {
  std::array<char, 128> bytes{};
};
struct Comm;
enum Result : int { success = 0, in_progress = 7 };  // the others are errors
enum DataType : int { int8 = 0, float32 = 7 };
enum Operation : int { sum = 0 };

/// NCCL's functions.
struct Library {
  Result (*get_version)(int*) = nullptr;
  Result (*get_unique_id)(UniqueId*) = nullptr;
  Result (*comm_init_rank)(Comm**, int ranks, UniqueId, int rank) = nullptr;
  Result (*comm_get_async_error)(Comm*, Result*) = nullptr;
  Result (*all_reduce)(const void* from, void* to, std::size_t count, DataType, Operation, Comm*,
                       cudaStream_t) = nullptr;
  Result (*all_gather)(const void* from, void* to, std::size_t count, DataType, Comm*,
                       cudaStream_t) = nullptr;
  Result (*broadcast)(const void* from, void* to, std::size_t count, DataType, int root, Comm*,
                      cudaStream_t) = nullptr;
  const char* (*get_error_string)(Result) = nullptr;
  const char* (*get_last_error)(Comm*) = nullptr;  // null before version 2.13

  std::string version;       // "2.28.9"
  std::string why_not;       // the reason why it cannot be used; empty if it can
  bool is_unwanted = false;  // the user forbids it
};

/// The library, opened by the first call: the file that BREAKEVEN_NCCL names, or libnccl.so.2. With
/// BREAKEVEN_NCCL=none it is not used.
const Library& library();

/// NCCL's message for a result that is not `success`.
std::string words_for(Result result, Comm* comm);

}  // namespace breakeven::cuda::nccl
