// The rows of the next batches on their way to the device.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <span>

#include "backends/cuda/device.h"

namespace breakeven::cuda {

/// Each batch goes through a place of its own in the host's memory to the one array that kernels read. The
/// places are used in turn, in two halves: before one is begun again, the device has taken all of it.
class RowQueue {
 public:
  explicit RowQueue(std::int64_t batch);

  /// Enqueues the copy of `batch` rows to rows(). The host waits only where more than places / 2 batches are
  /// ahead of the device.
  void send(std::span<const std::uint32_t> rows, cudaStream_t stream);
  const std::uint32_t* rows() const { return rows_.as<std::uint32_t>(); }

 private:
  static constexpr std::size_t places = 256;

  std::size_t batch_;
  PinnedMemory<std::uint32_t> waiting_;  // places x batch
  std::array<Event, 2> taken_;           // the last of each half
  std::size_t next_ = 0;
  Memory rows_;
};

}  // namespace breakeven::cuda
