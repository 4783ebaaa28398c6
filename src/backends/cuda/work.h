// What every operation on the device has in common: run() enqueues, wait, and be timed by the device's own
// clock.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cuda/device.h"
#include "backends/cuda/gate.h"
#include "worker/backend.h"

namespace breakeven::cuda {

class Work : public Prepared {
 public:
  void wait() final { stream_.wait(); }
  /// By events around runs queued behind a closed gate: what it takes to launch them is not in it.
  std::optional<double> device_seconds(std::int64_t iterations, bool cold) final;
  bool flush() final;

 protected:
  Stream& stream() { return stream_; }
  /// Seconds of one run by the device's clock, when warm: what disturbs a run makes it longer, so the
  /// shortest of a few means.
  double quick_seconds();

 private:
  double seconds_behind_gate(std::int64_t iterations);

  Stream stream_;
  Gate gate_;
  Event start_, end_;
  Memory flushed_;
};

}  // namespace breakeven::cuda
