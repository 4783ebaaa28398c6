// A kernel that blocks the work queued after it.
#pragma once

#include "backends/cuda/device.h"

namespace breakeven::cuda {

/// State in host memory, which the device reads and writes.
struct GateState {
  int opened, reached, gave_up;
};

/// Blocks a stream while closed: work enqueued after it waits, so that the device later runs it without
/// waiting for the host.
class Gate {
 public:
  Gate();
  /// Enqueues the kernel that waits for open(). It gives up after a second, because a full queue would
  /// otherwise block both sides for ever.
  void close(cudaStream_t stream);
  /// True if the device waits at the gate. Before that, it may not have begun any work, and a gate that is
  /// opened then has held back nothing.
  bool reached() const;
  void open();
  /// True if work continued before open(), so that its time has gaps. Known once that work is done.
  bool gave_up() const;

 private:
  Owned<GateState, cudaFreeHost> state_;
};

}  // namespace breakeven::cuda
