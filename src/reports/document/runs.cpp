#include "reports/document/runs.h"

#include "reports/text.h"
#include "verdicts/machines.h"

namespace breakeven {

std::vector<MachineRuns> machines_of(const Runs& runs) {
  InOrder<std::string, Runs> by_key;
  for (const Result* run : runs) at_key(by_key, machine_key(run->host)).push_back(run);
  std::vector<MachineRuns> machines;
  machines.reserve(by_key.size());
  for (auto& [key, of_machine] : by_key) {
    const std::string name = printable(of_machine.front()->host.name);
    machines.push_back({.name = name.empty() ? "unnamed" : name, .runs = std::move(of_machine)});
  }
  return machines;
}

}  // namespace breakeven
