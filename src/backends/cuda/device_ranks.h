// Communication between ranks that compute on a GPU each: by NCCL, or by MPI where NCCL cannot be used.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "workloads/interface.h"

namespace breakeven::cuda {

/// Moves arrays in device memory between ranks. Every call is collective: all ranks make it, in the same
/// order and with the same sizes.
class DeviceRanks : public Interface {
 public:
  /// Writes the sums of `count` f32 values over all ranks to `to`, which may be `from`.
  virtual void sum_of(const float* from, float* to, std::int64_t count, cudaStream_t stream) = 0;
  /// Collects `bytes` bytes of each rank in `all`, in the order of ranks.
  virtual void gather(const void* own, std::int64_t bytes, void* all, cudaStream_t stream) = 0;
  /// Copies the data of `root` to all ranks.
  virtual void broadcast(void* data, std::int64_t bytes, int root, cudaStream_t stream) = 0;
  /// To be called when the work of a first call has ended: until then, ranks that cannot connect may wait for
  /// ever, and are ended after a while.
  virtual void note_connected() {}
};

/// The ranks of this job. The first call joins them, and is collective, too. Throws std::runtime_error with
/// NCCL's message if that fails.
DeviceRanks& device_ranks();

/// True if the calls only enqueue, so that a CUDA graph can contain them. Otherwise they wait for the stream,
/// and the host takes part.
bool ranks_enqueue();

/// The library that moves the data, and how: "NCCL 2.28.9", "Open MPI 4.1.4 through host memory".
std::string rank_library();
/// Warns that NCCL cannot be used, with the reason; empty if it can, if the user forbids it, or if there are
/// no other ranks.
std::string rank_warning();

/// Uses the GPU of this rank: among those that it sees, the one with its index on this host. If each rank
/// sees only its own, that one; NCCL may not reach the others then.
void use_device_of_rank();

}  // namespace breakeven::cuda
