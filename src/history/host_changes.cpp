#include "history/host_changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "statistics/change_points.h"

namespace breakeven {
namespace {

/// The medians of one part of one machine's probe, in the order of the runs.
struct PartSeries {
  std::vector<double> seconds;
  std::vector<std::size_t> runs;
};

std::map<std::string, PartSeries> parts_of(const History& history, const Machine& machine) {
  std::map<std::string, PartSeries> parts;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    const Run& one = history.runs[run];
    if (one.machine != machine.id || !one.machine_speed) continue;
    for (const auto& [part, seconds] : one.machine_speed->median_seconds) {
      parts[part].seconds.push_back(seconds);
      parts[part].runs.push_back(run);
    }
  }
  return parts;
}

}  // namespace

std::vector<HostChange> find_host_changes(const History& history, double threshold, double level) {
  std::vector<std::pair<const Machine*, std::map<std::string, PartSeries>>> all;
  std::size_t tests = 0;
  for (const Machine& machine : history.machines) {
    all.emplace_back(&machine, parts_of(history, machine));
    tests += all.back().second.size();
  }
  std::vector<HostChange> changes;
  for (const auto& [machine, parts] : all) {
    for (const auto& [part, series] : parts) {
      for (const ChangePoint& point :
           change_points(series.seconds, threshold, level / static_cast<double>(tests)))
        changes.push_back({.machine = machine,
                           .part = part,
                           .ratio = point.ratio,
                           .interval = point.interval,
                           .last_before = series.runs[point.position - 1],
                           .first_after = series.runs[point.position]});
    }
  }
  std::ranges::stable_sort(changes, {}, &HostChange::first_after);
  return changes;
}

bool is_at_the_same_runs(const HostChange& host, std::size_t last_before, std::size_t first_after) {
  return host.last_before <= first_after && last_before <= host.first_after;
}

std::vector<const HostChange*> explanations_of(const Interval& interval, std::size_t last_before,
                                               std::size_t first_after, const Machine& machine,
                                               const std::vector<HostChange>& host_changes,
                                               double threshold) {
  std::vector<const HostChange*> explanations;
  for (const HostChange& host : host_changes) {
    if (host.part == "core_to_core") continue;  // its ratio does not bound that of a case
    if (host.machine != &machine || !is_at_the_same_runs(host, last_before, first_after)) continue;
    const bool accounts_for_it =
        host.ratio > 1 ? interval.low > 1 && interval.low <= host.interval.high * (1 + threshold)
                       : interval.high < 1 && interval.high >= host.interval.low / (1 + threshold);
    if (accounts_for_it) explanations.push_back(&host);
  }
  return explanations;
}

}  // namespace breakeven
