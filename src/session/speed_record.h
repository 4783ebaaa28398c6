// How fast the machine was during a session, from probes between the rounds of samples.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/speed_probe.h"
#include "results/result.h"
#include "session/time_source.h"
#include "statistics/summary.h"

namespace breakeven {

/// The probes before and after a stretch of rounds. They are kept so that the machine's speed at that time
/// can be estimated again with later knowledge.
struct RoundProbes {
  std::shared_ptr<const std::vector<CpuSpeedRatios>> before, after;  // null if not probed
};

/// The machine's speed in a stretch of rounds.
struct RoundSpeed {
  /// A fraction (0 to 1), the lower of before and after, or the time that quotas left, if that is lower
  /// still; empty if not probed.
  std::optional<double> own_speed;
  RoundProbes probes;
};

/// The machine's speed in all visits of a session.
class SpeedRecord {
 public:
  /// `probe` is null if the machine is not probed. `time` must outlive the record.
  SpeedRecord(std::unique_ptr<SpeedProbe> probe, TimeSource& time) : probe_(std::move(probe)), time_(time) {}

  /// Begins a visit. If `probes` is false, nothing is probed in it, and the machine counts as being at its
  /// own speed. The first visit that is probed calibrates the probe.
  void begin_visit(bool probes);
  void probe();
  /// Waits while the machine is below its own speed, until the time `until` at the latest. Calls `report`
  /// with the fraction of its own speed before each pause.
  void wait_for_own_speed(double until, const std::function<void(double own_speed)>& report);
  /// Seconds for which rounds continue before the next probe.
  double stretch() const;
  /// Probes the machine after this many rounds, and returns its speed in them.
  RoundSpeed probe_after(std::size_t rounds);

  /// The fraction of its own speed at which the machine ran in an earlier round, according to what is known
  /// now; 1 if it was not probed.
  double by_now(const RoundProbes& probes) const;
  /// Judges the speed in earlier rounds again: next to a neighbour that was there from the start, the first
  /// looked undisturbed. Lowers what was slower than was known, and returns true if any was.
  bool judge_again(std::vector<double>& own_speed, const std::vector<RoundProbes>& probes) const;
  /// The speed over all rounds so far; empty if it was not probed.
  std::optional<MachineSpeed> summary() const;
  double probe_seconds() const { return probe_seconds_; }
  /// Seconds spent waiting for the machine, and the median fraction of its own speed meanwhile.
  double waited_seconds() const { return waited_seconds_; }
  double while_waiting() const { return waiting_speeds_.empty() ? 1 : median(waiting_speeds_); }

 private:
  struct Latest {
    double own_speed = 1;
    std::shared_ptr<const std::vector<CpuSpeedRatios>> ratios;
    double throttled_seconds = 0, at = 0;
  };

  std::unique_ptr<SpeedProbe> probe_;
  TimeSource& time_;
  bool probes_ = false;           // in the current visit
  std::optional<Latest> latest_;  // likewise
  std::vector<double> costs_;     // of probes in seconds, latest last; empty before calibration
  double probe_seconds_ = 0;
  std::vector<double> round_speeds_;
  std::map<std::string, std::vector<double>> part_seconds_;  // by part of the probe, of the slowest CPU
  std::vector<double> instructions_per_cycle_;               // in the probe's arithmetic, on the slowest CPU
  std::vector<double> waiting_speeds_;
  double waited_seconds_ = 0;
};

}  // namespace breakeven
