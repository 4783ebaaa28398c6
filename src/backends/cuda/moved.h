// Arrays on the device and, if a case copies them, in host memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backends/cuda/device.h"
#include "workloads/buffer.h"

namespace breakeven::cuda {

/// Operands that rotate (workloads/rotation.h): `sets` equal sets of two operands and a result, each
/// operand's stored contiguously. The steps are the bytes from one set to the next.
struct Turns {
  std::int64_t sets = 1;
  std::int64_t first_step = 0, second_step = 0, output_step = 0;
  std::int64_t set = 0;  // the current set

  void next() { set = set + 1 == sets ? 0 : set + 1; }
};

/// An array. Its host memory is pinned, which is fastest for copies from and to a device. If operands rotate,
/// it has several equal sets, which are not copied.
class Moved {
 public:
  Moved() = default;
  /// Makes an uninitialised array. Throws OutOfMemory.
  Moved(std::int64_t bytes, bool moves, std::int64_t sets = 1);
  /// Takes an array on the device, and makes a copy in host memory if it moves.
  Moved(Memory contents, bool moves);
  /// Makes an array with these contents, on the device and, if it moves, in host memory.
  Moved(const Buffer<std::byte>& contents, bool moves, std::int64_t sets = 1);

  void* data() { return device_.data(); }
  Memory& memory() { return device_; }
  /// Bytes from one set to the next.
  std::int64_t step() const { return device_.bytes() / sets_; }
  /// Each enqueues a copy; nothing if the array does not move.
  void copy_inputs_to_device(cudaStream_t stream);
  void copy_outputs_to_host(cudaStream_t stream);

  /// Enqueues filling the device's copy with NaN if the array moves, so that later results depend on what
  /// copy_inputs_to_device() copies.
  void forget_on_device(cudaStream_t stream);
  /// Copies `contents` to every set on the device and, if the array moves, to host memory.
  void fill(const Buffer<std::byte>& contents);
  /// Copies what a user would read: the host memory, to which the array must have been fetched, if it moves;
  /// else the device's last set.
  void show(Buffer<std::byte>& contents) const;

 private:
  std::int64_t sets_ = 1;
  Memory device_;
  std::optional<PinnedMemory<std::byte>> host_;
};

}  // namespace breakeven::cuda
