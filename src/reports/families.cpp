#include "reports/families.h"

#include <fmt/format.h>

#include <map>

#include "reports/text.h"

namespace breakeven {

std::vector<Timed> timed_results(std::span<const Result> results) {
  std::set<std::string> machines;
  std::map<std::string, std::set<std::string>> dtypes;  // by operation
  for (const Result& run : results) {
    machines.insert(run.host.name);
    for (const CaseResult& c : run.cases) dtypes[c.op].insert(c.dtype);
  }
  std::vector<Timed> all;
  for (const Result& run : results) {
    for (const CaseResult& c : run.cases) {
      if (!c.has_time()) continue;
      const std::string machine = machines.size() > 1 ? fmt::format(" ({})", printable(run.host.name)) : "";
      const std::string dtype = dtypes[c.op].size() > 1 ? " " + printable(c.dtype) : "";
      all.push_back({.run = &run,
                     .result = &c,
                     .label = fmt::format("{}{}{}", printable(c.backend), dtype, machine),
                     .place = fmt::format("{}{}", printable(c.backend), machine)});
    }
  }
  return all;
}

std::vector<Family> families_of(const std::vector<Timed>& all) {
  std::vector<const CaseResult*> cases;
  cases.reserve(all.size());
  for (const Timed& timed : all) cases.push_back(timed.result);
  std::vector<Family> found;
  for (const CaseFamily& of_cases : case_families(cases)) {
    Family& family = found.emplace_back();
    family.op = of_cases.op;
    family.parameter = of_cases.parameter;
    family.fixed = printable(fixed_text(*cases[of_cases.members.front().second], of_cases.parameter));
    for (const auto& [value, index] : of_cases.members)
      family.members.emplace_back(static_cast<double>(value), &all[index]);
  }
  return found;
}

}  // namespace breakeven
