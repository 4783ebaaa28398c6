// Measures how fast the machine is now by running a fixed amount of work on the CPUs that a measurement uses.
// Work on the other hyperthread of a core, which no statistic of the kernel shows, makes it slower.
// docs/machine-speed.md says what the probe can and cannot detect.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "host/own_speed.h"
#include "host/pinned_threads.h"
#include "host/steady_clock.h"

namespace breakeven {

struct SpeedReading {
  SpeedShare speed;
  SpeedProbeTimes times;
  double throttled_seconds = 0;  // for which quotas have stopped this process's cgroup so far
};

/// Measures the machine's speed. Abstract, so that tests can script it.
class SpeedProbe {
 public:
  virtual ~SpeedProbe() = default;

  /// Estimates the machine's own speed: each CPU alone, then all together. Call it before the first
  /// measure(), while nothing else in this process computes. Calling it again can only improve the estimate.
  virtual void calibrate() = 0;
  /// Probes all CPUs at once, and up to two more times if the machine looks slow. The fastest probe of each
  /// CPU counts, because a single interrupt is not continuous load. After a slow reading the load is expected
  /// to stay, so one probe is enough.
  virtual SpeedReading measure() = 0;
  /// The share of an earlier reading, compared with what is known now. It is lower if the machine has been
  /// faster since.
  virtual double share_again(const std::vector<CpuSpeedRatios>& ratios) const = 0;
  /// The speed that the shares are relative to.
  virtual SpeedReference reference() const = 0;
};

struct CpuProbe;  // the data of one thread

/// Runs the probe on CPUs of this machine, with one thread pinned to each. The threads sleep between probes.
/// The affinity of the calling thread does not change.
class CpuSpeedProbe final : public SpeedProbe {
 public:
  /// Throws std::runtime_error if no thread can be pinned to any CPU of the list.
  explicit CpuSpeedProbe(const std::vector<int>& cpus);

  void calibrate() override;
  SpeedReading measure() override;
  double share_again(const std::vector<CpuSpeedRatios>& ratios) const override {
    return own_.share_again(ratios);
  }
  SpeedReference reference() const override { return own_.reference(); }

  /// CPUs that are not measured because the kernel refused to pin a thread to them.
  const std::vector<int>& unpinned_cpus() const { return threads_.unpinned(); }

 private:
  std::vector<CpuSpeedTimes> probe_each_alone();
  SpeedProbeTimes probe_all(bool memory_too);
  SpeedProbeTimes probe(const std::vector<std::size_t>& indices, bool memory_too);

  PinnedThreads threads_;
  std::vector<std::shared_ptr<CpuProbe>> probes_;
  OwnSpeed own_;
  Clock::time_point next_memory_read_{};
  bool was_slow_ = false;
};

}  // namespace breakeven
