// Changes of a machine itself, slower or faster, as its speed probe saw them. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history/history.h"
#include "statistics/summary.h"

namespace breakeven {

/// A change of how long one part of the speed probe takes: the same work, whatever is measured beside it.
struct HostChange {
  const Machine* machine = nullptr;
  std::string part;  // "throughput", "l2", "memory" (docs/machine-speed.md)
  double ratio = 1;  // seconds after over seconds before
  Interval interval;
  std::size_t last_before = 0, first_after = 0;  // indices into History::runs
};

/// Changes by at least `threshold` in the probe's median times. `level` is the chance that any is found where
/// no machine changed. Runs without a probe are passed over.
std::vector<HostChange> find_host_changes(const History& history, double threshold, double level);

/// The machine's change that accounts for a series' change by `interval` (seconds after over before) between
/// these two runs, up to `threshold`: in the same direction, at the same runs, and no smaller. Null: none.
const HostChange* explanation_of(const Interval& interval, std::size_t last_before, std::size_t first_after,
                                 const Machine& machine, const std::vector<HostChange>& host_changes,
                                 double threshold);

/// The part in words: "arithmetic", "L2 cache", "memory".
std::string part_title(const std::string& part);

}  // namespace breakeven
