// Groups cases into curves: a curve's cases differ in one parameter alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Cases that differ only in one whole-numbered parameter, in the parameters that change along with it (m = n
/// = k), in the dtype and in the place where they were measured.
struct CaseFamily {
  std::string op, parameter;
  std::vector<std::pair<std::int64_t, std::size_t>> members;  // the parameter's value, the case's index

  std::size_t values() const {
    std::set<std::int64_t> seen;
    for (const auto& [value, index] : members) seen.insert(value);
    return seen.size();
  }
};

/// The values that make a family. If a parameter is named, two show already where a lead changes.
inline std::size_t fewest_family_values(const std::string& parameter) {
  return parameter.empty() ? 3 : 2;
}

/// The families whose parameter takes fewest_family_values() or more, in the order of the cases. A family
/// whose cases are all in another is left out. If a parameter is named, only its families.
std::vector<CaseFamily> case_families(std::span<const CaseResult* const> cases,
                                      const std::string& parameter = "");

/// A key of all parameters but `moving` and the dtype. With `along`, the values of parameters equal to
/// `moving` are left out.
std::string rest_of(const Parameters& parameters, const std::string& moving, bool along);

/// The parameters that do not change along with `moving` and differ from their default value, with these.
std::vector<std::pair<std::string, std::string>> fixed_parameters(const CaseResult& result,
                                                                  const std::string& moving);

}  // namespace breakeven
