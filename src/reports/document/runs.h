// The result files of a report, by machine, and a list of values by key.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Values by key, in the order in which the keys first appear.
template <typename Key, typename Value>
using InOrder = std::vector<std::pair<Key, Value>>;

/// The value for a key, which is added if it is missing.
template <typename Key, typename Value>
Value& at_key(InOrder<Key, Value>& all, const Key& key) {
  auto found = std::ranges::find(all, key, &std::pair<Key, Value>::first);
  if (found == all.end()) found = all.insert(found, {key, Value{}});
  return found->second;
}

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
