// The common part of all operations on the device: run() enqueues, wait() waits, and times are by the
// device's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "backends/cuda/device.h"
#include "backends/cuda/stopwatch.h"
#include "worker/backend.h"

namespace breakeven::cuda {

/// The number of operand sets that a case uses in turn on this device; see worker/operand_sets.h.
std::int64_t sets_of(const Case& problem);

/// Operation::prepare of a work that is made from the case and the seed.
template <typename Made>
std::unique_ptr<Prepared> make_work(const Case& problem, std::uint64_t seed) {
  return std::make_unique<Made>(problem, seed);
}

class Work : public Prepared {
 public:
  void wait() final { stream_.wait(); }
  /// Times iterations queued behind a closed gate with events, so that launching them is not included.
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override;
  bool flush() final;
  std::vector<std::string> warnings() const final;

 protected:
  Stream& stream() { return stream_; }
  /// Runs one iteration of a case that moves its data, or one run of any other case, and waits.
  void iterate();
  Stopwatch& stopwatch() { return stopwatch_; }
  /// The number of runs that may be queued at once.
  virtual std::int64_t most_queued() const { return Stopwatch::most_queued; }

 private:
  Stream stream_;
  Stopwatch stopwatch_{stream_};
  Memory flushed_;
};

}  // namespace breakeven::cuda
