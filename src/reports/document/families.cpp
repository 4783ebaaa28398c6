#include "reports/document/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "reports/document/names.h"
#include "reports/text.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

constexpr std::size_t fewest_values = 3;  // of a parameter, to be an axis

/// The parameters worth saying in a title: those that do not move and have no default value.
std::string fixed_text(const Timed& timed, const std::string& moving, bool with_network) {
  const Workload* workload = find_workload(timed.result->op);
  if (workload == nullptr) return "";
  const Parameters& parameters = timed.result->parameters;
  const Value value = *parameters.find(moving);
  std::vector<std::string> parts;
  for (const auto& [name, other] : not_at_fallback(workload->parameters(), parameters)) {
    if (name == moving || *other == value || (name == "network" && !with_network)) continue;
    parts.push_back(fmt::format("{} {}", name, to_string(*other)));
  }
  return printable(fmt::format("{}", fmt::join(parts, ", ")));
}

/// Without those whose cases are all in a larger one; of those with the same cases, as by m and by n where
/// both move, the first stays.
std::vector<Family> without_parts(std::vector<Family> all) {
  std::vector<std::size_t> by_size(all.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return all[a].members.size() > all[b].members.size();
  });
  std::unordered_map<const Timed*, std::vector<std::size_t>> homes;  // the families kept that a result is in
  std::vector<bool> keep(all.size(), false);
  for (const std::size_t i : by_size) {
    std::unordered_map<std::size_t, std::size_t> shared;  // by family kept, how many of this one's
    for (const auto& [x, timed] : all[i].members) {
      for (const std::size_t home : homes[timed]) ++shared[home];
    }
    if (std::any_of(shared.begin(), shared.end(),
                    [&](const auto& with) { return with.second == all[i].members.size(); }))
      continue;
    keep[i] = true;
    for (const auto& [x, timed] : all[i].members) homes[timed].push_back(i);
  }
  std::vector<Family> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!keep[i]) continue;
    kept.push_back(std::move(all[i]));
    Family& family = kept.back();
    family.fixed = fixed_text(*family.members.front().second, family.parameter, true);
    family.fixed_without_network = fixed_text(*family.members.front().second, family.parameter, false);
  }
  return kept;
}

}  // namespace

std::vector<Timed> timed_results(const Runs& runs) {
  std::map<std::string, std::set<std::string>> dtypes;  // by operation
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) dtypes[c.op].insert(c.dtype);
  }
  std::vector<Timed> all;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (!c.has_time()) continue;
      const std::string backend = backend_title(c.backend);
      const std::string dtype = dtypes[c.op].size() > 1 ? " " + printable(c.dtype) : "";
      all.push_back({.run = run, .result = &c, .label = backend + dtype, .backend = backend});
    }
  }
  return all;
}

std::string rest_of(const Parameters& parameters, const std::string& moving, bool along) {
  const Value* value = parameters.find(moving);
  std::string rest;
  for (const auto& [name, other] : parameters.entries()) {
    if (name == moving || name == "dtype") continue;
    const bool moves = along && value != nullptr && other == *value;
    rest += moves ? fmt::format("{}=*;", name) : fmt::format("{}={};", name, to_string(other));
  }
  return rest;
}

std::vector<Family> families_of(const std::vector<Timed>& all) {
  std::map<std::string, Family> by_key;
  std::vector<std::string> order;
  for (const Timed& timed : all) {
    for (const auto& [name, value] : timed.result->parameters.entries()) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (whole == nullptr || *whole <= 0) continue;
      std::string earlier;
      for (const bool along : {true, false}) {
        const std::string key =
            fmt::format("{}|{}|{}", timed.result->op, name, rest_of(timed.result->parameters, name, along));
        if (key == earlier) continue;  // nothing moves along: one family, not two
        earlier = key;
        const auto [family, is_new] = by_key.try_emplace(key);
        if (is_new) {
          order.push_back(key);
          family->second.op = timed.result->op;
          family->second.parameter = name;
        }
        family->second.members.emplace_back(static_cast<double>(*whole), &timed);
      }
    }
  }
  std::vector<Family> found;
  for (const std::string& key : order) {
    Family& family = by_key[key];
    if (family.values() >= fewest_values) found.push_back(std::move(family));
  }
  return without_parts(std::move(found));
}

}  // namespace breakeven
