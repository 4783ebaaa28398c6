// Work that is recorded once as a CUDA graph and then launched as a whole; a second stream for its
// independent parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cuda/device.h"

namespace breakeven::cuda {

class Recording {
 public:
  /// Records `enqueue` without running it. It must only enqueue, and must have been run once before, so that
  /// everything it calls is loaded.
  Recording(cudaStream_t stream, const std::function<void()>& enqueue);
  void launch(cudaStream_t stream) const;

 private:
  Owned<CUgraphExec_st, cudaGraphExecDestroy> graph_;
};

/// A call on operand sets that are used in turn (Turns in moved.h), recorded as one graph for each set.
/// Launching a graph takes the host less time than some libraries need for a call.
class RecordedCalls {
 public:
  /// The number of graphs that may be made; each takes time and memory to make.
  static constexpr std::int64_t most = 1024;

  RecordedCalls() = default;
  /// Records the next `sets` calls of `enqueue`. Records nothing if they are too many, or if a call cannot be
  /// recorded. The requirements of `enqueue` are those of Recording.
  RecordedCalls(cudaStream_t stream, std::int64_t sets, const std::function<void()>& enqueue);
  bool empty() const { return graphs_.empty(); }
  /// Enqueues the call on the next set.
  void launch(cudaStream_t stream);

 private:
  std::vector<Recording> graphs_;
  std::size_t next_ = 0;
};

/// Adds a second branch to a graph while it is recorded. Work on either stream becomes part of one graph, in
/// which the two branches run concurrently from fork() to join() (CUDA Programming Guide, "Cross-stream
/// dependencies and events").
class Branch {
 public:
  explicit Branch(cudaStream_t main) : main_(main) {}

  /// Returns the stream for work that depends only on what was enqueued so far: the second stream, or the
  /// first outside start() ... join().
  cudaStream_t fork() {
    if (!started_) return main_;
    forked_.record(main_);
    check(cudaStreamWaitEvent(side_.get(), forked_.get(), 0), "cudaStreamWaitEvent");
    used_ = true;
    return side_.get();
  }
  void start() { started_ = true; }
  /// Makes `other` wait for what is enqueued on the second stream so far.
  void hold_up(cudaStream_t other) {
    if (!used_) return;
    joined_.record(side_.get());
    check(cudaStreamWaitEvent(other, joined_.get(), 0), "cudaStreamWaitEvent");
  }
  /// Makes the first stream wait for the second from here on.
  void join() {
    hold_up(main_);
    started_ = used_ = false;
  }

 private:
  cudaStream_t main_;
  Stream side_;
  Event forked_, joined_;
  bool started_ = false, used_ = false;
};

}  // namespace breakeven::cuda
