// The content of a history store: runs by commit and machine, and the times of each case over the runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The properties that must agree for times to be comparable.
struct Machine {
  std::int64_t id = 0;
  std::string name;         // the host's, or the one from `history add --machine`
  std::string description;  // CPU, CPUs, threads, GPUs, hosts of ranks
};

/// The software that a backend computed with in a run.
struct Software {
  std::string text;     // its version and its libraries', and the GPU's driver if there is one
  bool on_gpu = false;  // the speed of the CPUs explains nothing there
  bool operator==(const Software&) const = default;
};

/// One result file.
struct Run {
  std::int64_t id = 0;  // rises in the order in which runs were added
  std::int64_t machine = 0;
  std::string commit, branch;                      // as given; empty if unknown
  std::string time;                                // when it was measured, UTC, ISO 8601; empty if unknown
  std::string source;                              // path of the file, as given
  std::map<std::string, Software> software = {};   // by backend
  std::set<std::string> settings = {};             // by settings_of(); empty if unknown
  std::optional<MachineSpeed> machine_speed = {};  // empty if the file has none
};

struct Measurement {
  std::size_t run = 0;  // index into History::runs
  Status status = Status::ok;
  double seconds = 0;  // the median; only for results that are ok
};

/// One case on one backend and one machine.
struct Series {
  std::int64_t id = 0, machine = 0;
  std::string case_id, backend;
  std::vector<Measurement> measurements = {};  // in the order of the runs
  std::size_t accepted = 0;                    // anything in runs before this index is accepted
};

struct History {
  std::vector<Machine> machines;
  std::vector<Run> runs;  // in the order in which they were added
  std::vector<Series> series;
};

/// Describes the host of a result as a machine of a store. `name`, if not empty, replaces the host's name,
/// for runners whose names change every time. With cold caches, a host is another machine, because
/// those times are not comparable with warm ones.
Machine machine_of(const Result& result, const std::string& name);

/// The software of each backend: "0.1.0, OpenBLAS 0.3.21".
std::map<std::string, Software> software_of(const Result& result);
/// The settings that affect times and do not split a series: "placement=cores", and the environment variables
/// that influence libraries. Empty if they are not all known.
std::set<std::string> settings_of(const Result& result);

}  // namespace breakeven
