// What a case reads or writes, on the device and, where it moves, in the host's memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backends/cuda/device.h"
#include "workloads/buffer.h"

namespace breakeven::cuda {

/// One array. Its place in the host's memory is pinned, which is the fastest way to and from a device. Where
/// operands rotate, several equal ones, none of which moves.
class Moved {
 public:
  Moved() = default;
  /// Uninitialised on both sides. Throws OutOfMemory.
  Moved(std::int64_t bytes, bool moves, std::int64_t sets = 1);
  /// What is on the device already, and the same in the host's memory where it moves.
  Moved(Memory contents, bool moves);
  /// With these contents on both sides.
  Moved(const Buffer<std::byte>& contents, bool moves, std::int64_t sets = 1);

  void* data() { return device_.data(); }
  Memory& memory() { return device_; }
  /// Bytes from one set to the next.
  std::int64_t step() const { return device_.bytes() / sets_; }
  /// Each enqueues a copy; nothing where the array does not move.
  void bring(cudaStream_t stream);
  void fetch(cudaStream_t stream);

  /// Enqueues what makes sure that what is read next is what has been brought: NaN on the device where the
  /// array moves.
  void forget_on_device(cudaStream_t stream);
  /// `contents` on the device, in every set, and, where the array moves, in the host's memory.
  void fill(const Buffer<std::byte>& contents);
  /// What a user would look at: the host's memory where the array moves, to which it must have been fetched.
  /// Of several sets, the last.
  void show(Buffer<std::byte>& contents) const;

 private:
  std::int64_t sets_ = 1;
  Memory device_;
  std::optional<PinnedMemory<std::byte>> host_;
};

}  // namespace breakeven::cuda
