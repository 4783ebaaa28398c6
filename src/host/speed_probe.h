// Measures how fast the machine is now by running a fixed amount of work on the CPUs that a measurement uses.
// Work on the other hyperthread of a core, which no statistic of the kernel shows, makes it slower.
// docs/machine-speed.md says what the probe can and cannot detect.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/own_speed.h"

namespace breakeven {

struct SpeedReading {
  SpeedShare speed;
  SpeedProbeTimes times;
};

/// Measures the machine's speed. Abstract, so that tests can script it.
class SpeedProbe {
 public:
  virtual ~SpeedProbe() = default;
  SpeedProbe() = default;
  SpeedProbe(const SpeedProbe&) = delete;
  SpeedProbe& operator=(const SpeedProbe&) = delete;
  SpeedProbe(SpeedProbe&&) = delete;
  SpeedProbe& operator=(SpeedProbe&&) = delete;

  /// Estimates the machine's own speed: each CPU alone, then all together. Call it before the first
  /// measure(), while nothing else in this process computes. Calling it again can only improve the estimate.
  virtual void calibrate() = 0;
  /// Probes all CPUs at once, and up to two more times if the machine looks slow. The fastest probe counts,
  /// because a single interrupt is not continuous load. After a slow reading the load is expected to stay, so
  /// one probe is enough.
  virtual SpeedReading measure() = 0;
  /// The share of an earlier reading, compared with what is known now. It is lower if the machine has been
  /// faster since.
  virtual double share_again(const std::vector<CpuSpeedRatios>& ratios) const = 0;
  /// The speed that the shares are relative to.
  virtual SpeedReference reference() const = 0;
};

/// Runs the probe on CPUs of this machine, with one thread pinned to each. The threads sleep between probes.
/// The affinity of the calling thread does not change.
class CpuSpeedProbe final : public SpeedProbe {
 public:
  /// Throws std::runtime_error if no thread can be pinned to any CPU of the list.
  explicit CpuSpeedProbe(const std::vector<int>& cpus);
  ~CpuSpeedProbe() override;
  CpuSpeedProbe(const CpuSpeedProbe&) = delete;
  CpuSpeedProbe& operator=(const CpuSpeedProbe&) = delete;
  CpuSpeedProbe(CpuSpeedProbe&&) = delete;
  CpuSpeedProbe& operator=(CpuSpeedProbe&&) = delete;

  void calibrate() override;
  SpeedReading measure() override;
  double share_again(const std::vector<CpuSpeedRatios>& ratios) const override;
  SpeedReference reference() const override;

  /// CPUs that are not measured because the kernel refused to pin a thread to them.
  const std::vector<int>& unpinned_cpus() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace breakeven
