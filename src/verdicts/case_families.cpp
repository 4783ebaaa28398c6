#include "verdicts/case_families.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

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

/// "NAME=VALUE;" of each parameter, in their order.
std::vector<std::string> parameter_texts(const Parameters& parameters) {
  std::vector<std::string> texts;
  texts.reserve(parameters.entries().size());
  for (const auto& [name, value] : parameters.entries()) {
    std::string& text = texts.emplace_back(name);
    text += '=';
    text += to_string(value);
    text += ';';
  }
  return texts;
}

/// rest_of() the parameters that have these texts.
std::string rest_of(const std::vector<std::string>& texts, const Parameters& parameters,
                    const std::string& moving, bool along) {
  const Value* value = along ? parameters.find(moving) : nullptr;
  std::string rest;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& [name, other] = parameters.entries()[i];
    if (name == moving || name == "dtype") continue;
    if (value != nullptr && other == *value)
      rest.append(name).append("=*;");
    else
      rest += texts[i];
  }
  return rest;
}

/// The families of cases, in the order in which their first cases come.
class FamiliesByKey {
 public:
  explicit FamiliesByKey(std::string parameter) : parameter_(std::move(parameter)) {}

  void add(const CaseResult& c, std::size_t index) {
    const std::vector<std::string> texts = parameter_texts(c.parameters);
    std::string problem = c.op;
    for (std::size_t i = 0; i < texts.size(); ++i)
      problem.append(texts[i]).append(1, static_cast<char>('0' + c.parameters.entries()[i].second.index()));
    const auto [known, is_new] = families_of_.try_emplace(std::move(problem));
    if (is_new) known->second = families_of(c, texts);
    for (const auto& [value, family] : known->second) families_[family].members.emplace_back(value, index);
  }

  std::vector<CaseFamily> take() { return std::move(families_); }

 private:
  using ValueInFamily = std::pair<std::int64_t, std::size_t>;  // the parameter's value, the family's index

  /// The families of a problem. Those that are missing are added.
  std::vector<ValueInFamily> families_of(const CaseResult& c, const std::vector<std::string>& texts) {
    std::vector<ValueInFamily> found;
    for (const auto& [name, value] : c.parameters.entries()) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (whole == nullptr || *whole <= 0 || (!parameter_.empty() && name != parameter_)) continue;
      std::optional<std::size_t> earlier;
      for (const bool along : {true, false}) {
        std::string key = c.op + "|" + name + "|" + rest_of(texts, c.parameters, name, along);
        const auto [family, is_new] = index_.try_emplace(std::move(key), families_.size());
        if (is_new) families_.push_back({.op = c.op, .parameter = name, .members = {}});
        // No other parameter changes: one family, not two.
        if (earlier != family->second) found.emplace_back(*whole, family->second);
        earlier = family->second;
      }
    }
    return found;
  }

  std::string parameter_;  // empty: all
  std::vector<CaseFamily> families_;
  std::unordered_map<std::string, std::size_t> index_;                       // of a family, by key
  std::unordered_map<std::string, std::vector<ValueInFamily>> families_of_;  // by problem, with types
};

}  // namespace

std::string rest_of(const Parameters& parameters, const std::string& moving, bool along) {
  return rest_of(parameter_texts(parameters), parameters, moving, along);
}

std::vector<std::pair<std::string, std::string>> fixed_parameters(const CaseResult& result,
                                                                  const std::string& moving) {
  std::vector<std::pair<std::string, std::string>> fixed;
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr) return fixed;
  const Value value = *result.parameters.find(moving);
  for (const auto& [name, other] : not_at_default(workload->parameters(), result.parameters)) {
    if (name != moving && *other != value) fixed.emplace_back(name, to_string(*other));
  }
  return fixed;
}

std::vector<CaseFamily> case_families(std::span<const CaseResult* const> cases,
                                      const std::string& parameter) {
  FamiliesByKey families(parameter);
  for (std::size_t i = 0; i < cases.size(); ++i) families.add(*cases[i], i);
  std::vector<CaseFamily> found = families.take();
  std::erase_if(found,
                [&](const CaseFamily& family) { return family.values() < fewest_family_values(parameter); });
  return without_parts(std::move(found));
}

}  // namespace breakeven
