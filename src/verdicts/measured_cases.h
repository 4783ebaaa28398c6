// The index of result files: all their cases in one list, each with the place and the conditions of its
// measurement. Reports, rankings and break-even points are groupings of this list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "results/result.h"
#include "verdicts/roofline.h"

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

/// Results that belong together. They must outlive everything that is made of them.
using Runs = std::vector<const Result*>;

Runs runs_of(std::span<const Result> results);

/// One case on one backend. Points into its result file.
struct MeasuredCase {
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
  std::size_t machine = 0;                // numbered in the order of the files, by machine_key()
  std::size_t device = 0;                 // likewise, of a GPU, or of processors with a number of threads
  std::string caches = {};                // "warm" or "cold"
  std::optional<Roofline> roofline = {};  // set where it is shown and the device's ceilings are known

  bool is_gpu() const { return result->device != "cpu"; }
  bool has_time() const { return result->has_time(); }
};

/// All cases, in the order of the files, without their rooflines.
std::vector<MeasuredCase> cases_of(const Runs& runs);

/// Groups cases by the text key_of(case), in the order in which the keys first appear. Those with an empty
/// key are left out. The groups point into `all`.
template <typename Case, typename KeyOf>
std::vector<std::vector<const Case*>> groups_of(const std::vector<Case>& all, KeyOf key_of) {
  std::unordered_map<std::string, std::size_t> index;
  std::vector<std::vector<const Case*>> groups;
  for (const Case& one : all) {
    const std::string key = key_of(one);
    if (key.empty()) continue;
    const auto [at, is_new] = index.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&one);
  }
  return groups;
}

}  // namespace breakeven
