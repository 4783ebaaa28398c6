// What every operation on the device has in common: run() enqueues, wait, and be timed by the device's own
// clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "backends/cuda/device.h"
#include "backends/cuda/stopwatch.h"
#include "worker/backend.h"

namespace breakeven::cuda {

/// How many sets of operands a case takes in turn on this device; see worker/operand_sets.h.
std::int64_t sets_of(const Case& problem);

class Work : public Prepared {
 public:
  void wait() final { stream_.wait(); }
  /// By events around iterations queued behind a closed gate: what it takes to launch them is not in it.
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override;
  bool flush() final;
  std::vector<std::string> warnings() const final;

 protected:
  Stream& stream() { return stream_; }
  /// One iteration of a case that moves its data, or one run of one that does not, waited for.
  void iterate();
  Stopwatch& stopwatch() { return stopwatch_; }
  /// How many runs may be queued at once.
  virtual std::int64_t most_queued() const { return Stopwatch::most_queued; }

 private:
  Stream stream_;
  Stopwatch stopwatch_{stream_};
  Memory flushed_;
};

}  // namespace breakeven::cuda
