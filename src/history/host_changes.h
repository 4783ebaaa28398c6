// Finds changes in the speed of a machine itself, from its speed probe. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history/history.h"
#include "statistics/summary.h"

namespace breakeven {

/// A change in the time of one part of the speed probe, which is always the same work.
struct HostChange {
  const Machine* machine = nullptr;
  std::string part;  // "throughput", "l2", "core_to_core" (docs/machine-speed.md)
  double ratio = 1;  // seconds after the change divided by seconds before
  Interval interval;
  std::size_t last_before = 0, first_after = 0;  // indices into History::runs
};

/// Finds changes of at least `threshold` in the probe's median times. `level` is the probability of finding
/// any if no machine changed. Runs without a probe are skipped.
std::vector<HostChange> find_host_changes(const History& history, double threshold, double level);

/// True if both changes lie between the same runs of this machine, or one run apart, because a machine that
/// changes in the middle of a run has changed for some of its cases.
bool is_at_the_same_runs(const HostChange& host, std::size_t last_before, std::size_t first_after);

/// The changes of the machine that explain a series' change by `interval` (seconds after divided by before)
/// between these two runs, up to `threshold`: in the same direction, at the same runs, and not smaller.
std::vector<const HostChange*> explanations_of(const Interval& interval, std::size_t last_before,
                                               std::size_t first_after, const Machine& machine,
                                               const std::vector<HostChange>& host_changes, double threshold);

}  // namespace breakeven
