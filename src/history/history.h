// What a history store holds: runs by commit and machine, and the times of each case over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// What must agree for times to be comparable.
struct Machine {
  std::int64_t id = 0;
  std::string name;         // the host's, or what `history add --machine` called it
  std::string description;  // CPU, CPUs, threads, GPUs
};

/// One result file.
struct Run {
  std::int64_t id = 0;  // grows in the order in which runs were added
  std::int64_t machine = 0;
  std::string commit, branch;                   // as given; empty: unknown
  std::string time;                             // when it was measured, UTC, ISO 8601; empty: unknown
  std::string source;                           // path of the file, as given
  std::map<std::string, std::string> software;  // by backend: its version and its libraries'
  std::optional<MachineSpeed> machine_speed;    // absent: the file has none
};

struct Measurement {
  std::size_t run = 0;  // index into History::runs
  Status status = Status::ok;
  double seconds = 0;  // the median; of ok ones alone
};

/// One case on one backend and one machine.
struct Series {
  std::int64_t id = 0, machine = 0;
  std::string case_id, backend;
  std::vector<Measurement> measurements;  // in the order of the runs
  std::size_t accepted = 0;               // of runs before this index whatever happened is accepted
};

struct History {
  std::vector<Machine> machines;
  std::vector<Run> runs;  // in the order in which they were added
  std::vector<Series> series;
};

/// As a store describes it; `name` instead of the host's where that is not empty, as for runners whose names
/// are drawn anew each time.
Machine machine_of(const Host& host, const std::string& name);

/// By backend: "0.1.0, OpenBLAS 0.3.21", and the GPU's driver where there is one.
std::map<std::string, std::string> software_of(const Result& result);

}  // namespace breakeven
