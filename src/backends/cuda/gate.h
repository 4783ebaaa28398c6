// A kernel that holds back what is queued behind it.
#pragma once

#include <cuda_runtime.h>

#include <memory>

namespace breakeven::cuda {

/// In the host's memory, read and written by the device.
struct GateState {
  int opened, gave_up;
};

/// While closed, whatever is enqueued after it waits, so that the device then runs it without waiting for the
/// host.
class Gate {
 public:
  Gate();
  /// Enqueues the kernel that waits for open(). It gives up after a second, lest a full queue stop both sides
  /// for ever.
  void close(cudaStream_t stream);
  void open();
  /// True where work went on before open(): its time has gaps in it. Known once that work is done.
  bool gave_up() const;

 private:
  struct Free {
    void operator()(GateState* p) const { cudaFreeHost(p); }
  };
  std::unique_ptr<GateState, Free> state_;
};

}  // namespace breakeven::cuda
