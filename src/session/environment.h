// What a result file says of the machine, and what the machine does while something is measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// This machine, as far as it tells. `threads` is what backends are given.
Host describe_host(int threads);

/// Where this build is not optimised.
void warn_of_build(std::vector<std::string>& warnings);

/// Where variables were set that libraries heed.
void warn_of_environment(const Host& host, std::vector<std::string>& warnings);

/// Adds a backend's reasons for being slower here than it could be, and its notes, each once: "openblas: its
/// kernels ...".
void warn_of_backend(const BackendRecord& backend, std::vector<std::string>& warnings);

/// Counters at one moment, from which the conditions of an interval are the difference.
struct HostCounters {
  std::optional<double> busy_seconds, steal_seconds;  // of all CPUs together
  std::optional<double> total_seconds;
  std::optional<double> throttled_seconds;
  std::optional<double> thermal_throttles;
};
HostCounters read_counters();

/// Counts over one interval or several.
struct CountedOnHost {
  std::optional<HostCounters> counted;  // sums of the differences; empty: of no interval yet
  double own_seconds = 0;               // CPU time that the driver and its workers used meanwhile
};

/// Adds an interval. What cannot be read in one of them is not known of all.
void add_interval(CountedOnHost& all, const HostCounters& before, const HostCounters& after,
                  double own_seconds);

/// In all intervals together; clock and temperature are those of now.
Conditions conditions_of(const CountedOnHost& all);

}  // namespace breakeven
