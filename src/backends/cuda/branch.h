// A second stream, for work that need not wait for what the first one does next.
#pragma once

#include <cuda_runtime.h>

#include "backends/cuda/device.h"

namespace breakeven::cuda {

/// To be used while a graph is recorded: what is enqueued on either stream becomes one graph, in which the
/// two are apart from fork() to join() (CUDA Programming Guide, "Cross-stream dependencies and events").
class Branch {
 public:
  explicit Branch(cudaStream_t main) : main_(main) {}

  /// The stream for what needs only that which was enqueued so far: the second one, or, outside of
  /// start() ... join(), the first.
  cudaStream_t fork() {
    if (!started_) return main_;
    forked_.record(main_);
    check(cudaStreamWaitEvent(side_.get(), forked_.get(), 0), "cudaStreamWaitEvent");
    used_ = true;
    return side_.get();
  }
  void start() { started_ = true; }
  /// What is enqueued on the first stream from here on waits for the second.
  void join() {
    if (used_) {
      joined_.record(side_.get());
      check(cudaStreamWaitEvent(main_, joined_.get(), 0), "cudaStreamWaitEvent");
    }
    started_ = used_ = false;
  }

 private:
  cudaStream_t main_;
  Stream side_;
  Event forked_, joined_;
  bool started_ = false, used_ = false;
};

}  // namespace breakeven::cuda
