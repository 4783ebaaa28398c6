// The result files of a report, by machine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Results that belong together. They must outlive every report on them.
using Runs = std::vector<const Result*>;

Runs runs_of(std::span<const Result> results);

struct MachineRuns {
  std::string key;   // from machine_key()
  std::string name;  // printable, never empty
  Runs runs;
};

/// Groups results by machine, in the order in which the machines first appear.
std::vector<MachineRuns> machines_of(const Runs& runs);

}  // namespace breakeven
