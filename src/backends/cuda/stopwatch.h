// How long work takes by the device's own clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/gate.h"

namespace breakeven::cuda {

/// By events around work queued behind a closed gate: what it takes to launch it is not in it.
///
/// With CUDA_LAUNCH_BLOCKING, and beneath some profilers, each launch waits for its work, and nothing can be
/// queued: the gate gives up, and the time is discarded. After a few in a row, or where the environment has
/// CUDA_LAUNCH_BLOCKING=1 or BREAKEVEN_CUDA_GATE=0, all further times of this process are the host's, with
/// launches.
class Stopwatch {
 public:
  /// Runs queued at once, where each is a few launches: the queue of launches is about a thousand long, and
  /// behind a closed gate the host must not wait for a place in it.
  static constexpr std::int64_t most_queued = 64;

  explicit Stopwatch(Stream& stream) : stream_(stream) {}
  cudaStream_t stream() const { return stream_.get(); }
  void wait() const { stream_.wait(); }

  /// Seconds of `runs` calls together. `enqueue` must only enqueue, and has been called before.
  double seconds(std::int64_t runs, const std::function<void()>& enqueue);
  /// Seconds of one call: the mean of as many as take about `worth` seconds, at most `most_at_once`.
  /// `enqueue` as above.
  double quick_seconds(const std::function<void()>& enqueue, double worth, std::int64_t most_at_once);
  /// Why times are the host's, with launches; empty where they are the device's.
  static const std::string& why_without_gate();

 private:
  /// Returns nothing if the gate gave up.
  std::optional<double> seconds_behind_gate(std::int64_t runs, const std::function<void()>& enqueue);
  double seconds_of_host(std::int64_t runs, const std::function<void()>& enqueue);

  Stream& stream_;
  Gate gate_;
  Event start_, end_;
};

}  // namespace breakeven::cuda
