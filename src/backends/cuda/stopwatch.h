// Measures how long work takes by the device's own clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "backends/cuda/device.h"
#include "backends/cuda/gate.h"

namespace breakeven::cuda {

/// Times work with events around it. The work is queued behind a closed gate, so that launching it is not
/// included.
///
/// With CUDA_LAUNCH_BLOCKING, and in some profilers, each launch waits for its work, and nothing can be
/// queued: the gate gives up, and the time is discarded. So is one whose gate opened before the device was at
/// it. After three such times in a row, or if the environment has CUDA_LAUNCH_BLOCKING=1 or
/// BREAKEVEN_CUDA_GATE=0, all further times of this process are the host's, and include launches.
class Stopwatch {
 public:
  /// The number of runs queued at once if each is a few launches. The queue holds about a thousand launches,
  /// and behind a closed gate the host must not wait for a free place.
  static constexpr std::int64_t most_queued = 64;

  explicit Stopwatch(Stream& stream) : stream_(stream) {}
  cudaStream_t stream() const { return stream_.get(); }
  void wait() const { stream_.wait(); }

  /// Returns the seconds of `runs` calls together. `enqueue` must only enqueue, and must have been called
  /// before.
  double seconds(std::int64_t runs, const std::function<void()>& enqueue);
  /// The same, but without another attempt if the gate gives up, for work that all ranks must enqueue equally
  /// often. `before_start` is called when the work is queued. Empty if the gate gave up, as it also does if
  /// another rank begins its work more than a second later.
  std::optional<double> seconds_of_one_attempt(std::int64_t runs, const std::function<void()>& enqueue,
                                               const std::function<void()>& before_start);
  /// Returns the seconds of one call: the mean of as many calls as take about `worth` seconds, at most
  /// `most_at_once`. The requirements of `enqueue` are the same.
  double quick_seconds(const std::function<void()>& enqueue, double worth, std::int64_t most_at_once);
  /// Returns the seconds of one call by the host's clock, launches included: the mean of as many calls in a
  /// row as take about `worth` seconds, after which the host waits.
  double quick_seconds_of_host(const std::function<void()>& enqueue, double worth);
  /// The reason why times are the host's and include launches; empty if they are the device's.
  static const std::string& why_without_gate();

 private:
  /// Empty if the gate gave up or was not reached.
  std::optional<double> seconds_behind_gate(std::int64_t runs, const std::function<void()>& enqueue,
                                            const std::function<void()>& before_start = {});
  double seconds_of_host(std::int64_t runs, const std::function<void()>& enqueue);

  Stream& stream_;
  Gate gate_;
  Event start_, end_;
};

}  // namespace breakeven::cuda
