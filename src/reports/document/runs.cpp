#include "reports/document/runs.h"

#include <algorithm>
#include <iterator>

#include "reports/text.h"
#include "verdicts/machines.h"

namespace breakeven {

Runs runs_of(std::span<const Result> results) {
  Runs runs;
  runs.reserve(results.size());
  std::transform(results.begin(), results.end(), std::back_inserter(runs),
                 [](const Result& run) { return &run; });
  return runs;
}

std::vector<MachineRuns> machines_of(const Runs& runs) {
  std::vector<MachineRuns> machines;
  for (const Result* run : runs) {
    const std::string key = machine_key(run->host);
    auto found =
        std::find_if(machines.begin(), machines.end(), [&](const MachineRuns& m) { return m.key == key; });
    if (found == machines.end()) {
      std::string name = printable(run->host.name);
      machines.push_back({.key = key, .name = name.empty() ? "unnamed" : std::move(name), .runs = {}});
      found = std::prev(machines.end());
    }
    found->runs.push_back(run);
  }
  return machines;
}

}  // namespace breakeven
