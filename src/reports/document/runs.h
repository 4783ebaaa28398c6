// The result files of a report, by machine.
#pragma once

#include <string>
#include <vector>

#include "verdicts/measured_cases.h"

namespace breakeven {

struct MachineRuns {
  std::string name;  // printable, never empty
  Runs runs;
};

/// Groups results by machine, in the order of MeasuredCase::machine.
std::vector<MachineRuns> machines_of(const Runs& runs);

}  // namespace breakeven
