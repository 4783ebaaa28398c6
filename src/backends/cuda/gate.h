// A kernel that holds back what is queued behind it.
#pragma once

#include <cuda_runtime.h>

#include <memory>

namespace breakeven::cuda {

/// While closed, whatever is enqueued after it waits, so that the device then runs it without waiting for the
/// host.
class Gate {
 public:
  Gate();
  /// Enqueues the kernel that waits for open(). It gives up after a second, lest a full queue stop both sides
  /// for ever.
  void close(cudaStream_t stream);
  void open();

 private:
  struct Free {
    void operator()(int* p) const { cudaFreeHost(p); }
  };
  std::unique_ptr<int, Free> opened_;  // in the host's memory, read by the device
};

}  // namespace breakeven::cuda
