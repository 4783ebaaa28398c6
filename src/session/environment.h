// Describes the machine for the result file, its state while something is measured, and the time of day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The time of day in UTC, in ISO 8601 to the second.
std::string now_utc();

/// Describes this machine. `threads` is the number that backends get.
Host describe_host(int threads);

/// Adds a warning if this build is not optimised.
void warn_of_build(std::vector<Note>& warnings);

/// Adds a warning if environment variables are set that influence libraries.
void warn_of_environment(const Host& host, std::vector<Note>& warnings);

/// True for the warnings of warn_of_environment().
bool is_of_environment(NoteKind kind);

/// Adds a backend's reasons for being slower here than it could be, and its notes, each once: "openblas: its
/// kernels ...".
void warn_of_backend(const BackendRecord& backend, std::vector<Note>& warnings);

/// Counters at one moment. The conditions of an interval are the difference of two.
struct HostCounters {
  std::optional<double> busy_seconds = {}, steal_seconds = {}, total_seconds = {};  // of all CPUs together
  std::optional<double> throttled_seconds = {}, thermal_throttles = {};
};
HostCounters read_counters();

/// Counts over one or more intervals.
struct CountedOnHost {
  std::optional<HostCounters> counted;  // sums of the differences; empty before the first interval
  double own_seconds = 0;               // CPU time that the driver and its workers used meanwhile
};

/// Adds an interval. A counter that cannot be read in one interval is unknown for all of them.
void add_interval(CountedOnHost& all, const HostCounters& before, const HostCounters& after,
                  double own_seconds);

/// The conditions over all intervals together. Clock and temperature are the current ones.
Conditions conditions_of(const CountedOnHost& all);

}  // namespace breakeven
