// How fast the machine is now: fixed code of known work, run on the CPUs that a measurement uses. A neighbour
// on the other hyperthread of a core, which no statistic of the kernel shows, makes it slower.
// docs/machine-speed.md says what it sees and what it cannot see.
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

  /// Finds the machine's own speed: each CPU alone, then all together. Call it before the first measure(),
  /// while nothing else of this process computes. Calling it again can only improve what is known.
  virtual void calibrate() = 0;
  /// One probe of all CPUs at once, and up to two more where it looks slow: the fastest of them counts,
  /// because one interrupt is no neighbour. After a slow reading a neighbour is expected, and one probe is
  /// enough.
  virtual SpeedReading measure() = 0;
  /// The share of an earlier reading by what is known now: it is lower once the machine has been seen faster.
  virtual double share_again(const std::vector<CpuSpeedRatios>& ratios) const = 0;
  /// What the shares are relative to.
  virtual SpeedReference reference() const = 0;
};

/// Runs the probe on CPUs of this machine, with one thread pinned to each. The threads sleep between probes;
/// the affinity of the calling thread is not changed.
class CpuSpeedProbe final : public SpeedProbe {
 public:
  /// Throws std::runtime_error where no thread can be pinned to any CPU of the list.
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

  /// CPUs that are not measured, because the kernel refused to pin a thread to them.
  const std::vector<int>& unpinned_cpus() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace breakeven
