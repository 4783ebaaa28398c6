// The result files of a report, by machine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Results that belong together. They outlive every report of theirs.
using Runs = std::vector<const Result*>;

Runs runs_of(std::span<const Result> results);

struct MachineRuns {
  std::string key;   // as machine_key() tells it
  std::string name;  // printable, never empty
  Runs runs;
};

/// In the order in which they first appear.
std::vector<MachineRuns> machines_of(const Runs& runs);

}  // namespace breakeven
