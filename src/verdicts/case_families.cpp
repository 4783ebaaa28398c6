#include "verdicts/case_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>

#include "workloads/workload.h"

namespace breakeven {
namespace {

/// Removes each family whose cases are all in a larger one. Of families with the same cases, such as those by
/// m and by n if both change together, the first stays.
std::vector<CaseFamily> without_parts(std::vector<CaseFamily> all) {
  std::vector<std::size_t> by_size(all.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, std::greater{}, [&](std::size_t i) { return all[i].members.size(); });
  std::unordered_map<std::size_t, std::vector<std::size_t>> homes;  // the kept families of each case
  std::vector<bool> keep(all.size(), false);
  for (const std::size_t i : by_size) {
    std::unordered_map<std::size_t, std::size_t> shared;  // this family's cases in each kept family
    for (const auto& [value, index] : all[i].members) {
      for (const std::size_t home : homes[index]) ++shared[home];
    }
    if (std::ranges::any_of(shared, [&](const auto& with) { return with.second == all[i].members.size(); }))
      continue;
    keep[i] = true;
    for (const auto& [value, index] : all[i].members) homes[index].push_back(i);
  }
  std::vector<CaseFamily> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (keep[i]) kept.push_back(std::move(all[i]));
  }
  return kept;
}

}  // namespace

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

std::string fixed_text(const CaseResult& result, const std::string& moving, const std::string& named) {
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr) return "";
  const Value value = *result.parameters.find(moving);
  std::vector<std::string> parts;
  for (const auto& [name, other] : not_at_fallback(workload->parameters(), result.parameters)) {
    if (name == moving || name == named || *other == value) continue;
    parts.push_back(fmt::format("{} {}", name, to_string(*other)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<CaseFamily> case_families(std::span<const CaseResult* const> cases,
                                      const std::string& parameter) {
  std::map<std::string, CaseFamily> by_key;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const auto& [name, value] : cases[i]->parameters.entries()) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (whole == nullptr || *whole <= 0 || (!parameter.empty() && name != parameter)) continue;
      std::string earlier;
      for (const bool along : {true, false}) {
        const std::string key =
            fmt::format("{}|{}|{}", cases[i]->op, name, rest_of(cases[i]->parameters, name, along));
        if (key == earlier) continue;  // no other parameter changes: one family, not two
        earlier = key;
        const auto [family, is_new] = by_key.try_emplace(key);
        if (is_new) {
          order.push_back(key);
          family->second.op = cases[i]->op;
          family->second.parameter = name;
        }
        family->second.members.emplace_back(*whole, i);
      }
    }
  }
  std::vector<CaseFamily> found;
  for (const std::string& key : order) {
    CaseFamily& family = by_key[key];
    if (family.values() >= fewest_family_values) found.push_back(std::move(family));
  }
  return without_parts(std::move(found));
}

}  // namespace breakeven
