#include "reports/document/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// A key of everything else that makes the problem.
std::string problem_without(const CaseResult& c, const std::string& parameter) {
  const std::string rest = rest_of(c.parameters, parameter, false);
  return parameter == "dtype" ? rest : rest + "|" + c.dtype;
}

}  // namespace

std::string parameter_text(const CaseResult& c, const std::string& parameter) {
  if (parameter == "dtype") return c.dtype;
  const Value* value = c.parameters.find(parameter);
  return value == nullptr ? "" : to_string(*value);
}

std::vector<Timed> timed_results(const std::vector<MeasuredCase>& cases) {
  std::map<std::string, std::set<std::string>> dtypes;  // by operation
  for (const MeasuredCase& one : cases) dtypes[one.result->op].insert(one.result->dtype);
  std::vector<Timed> all;
  for (const MeasuredCase& one : cases) {
    if (!one.has_time()) continue;
    const CaseResult& c = *one.result;
    const std::string backend = backend_title(c.backend);
    const std::string dtype = dtypes[c.op].size() > 1 ? " " + printable(c.dtype) : "";
    all.push_back({one, backend + dtype, backend});
  }
  return all;
}

Measurements::Measurements(Runs all)
    : runs(std::move(all)),
      cases(cases_of(runs)),
      ceilings(breakeven::ceilings(runs)),
      timed(timed_results(cases)),
      families(families_of(timed)) {}

std::set<std::string> Family::dtypes() const {
  std::set<std::string> all;
  for (const auto& [value, timed] : members) all.insert(timed->result->dtype);
  return all;
}

std::string Family::work() const {
  std::string work = activity_of(*members.front().second->result);
  for (const auto& [name, value] : fixed) {
    if (name != "network") work += ", " + printable(plain_parameter(name, value));  // the activity names it
  }
  return work;
}

std::vector<std::pair<std::string, std::string>> Family::works() const {
  const std::set<std::string> all = dtypes();
  std::vector<std::pair<std::string, std::string>> found;
  found.reserve(all.size());
  for (const std::string& dtype : all)
    found.emplace_back(dtype, work() + (all.size() > 1 ? " in " + printable(dtype) : ""));
  return found;
}

std::map<double, const CaseResult*> Family::fastest(const std::string& dtype,
                                                    bool (*holds)(const Timed&)) const {
  std::map<double, const CaseResult*> best;
  for (const auto& [value, timed] : members) {
    if (timed->result->dtype == dtype && holds(*timed)) keep_faster(best[value], *timed->result);
  }
  return best;
}

std::vector<Family> families_of(const std::vector<Timed>& all) {
  std::vector<const CaseResult*> cases;
  cases.reserve(all.size());
  for (const Timed& timed : all) cases.push_back(timed.result);
  std::vector<Family> found;
  for (const CaseFamily& of_cases : case_families(cases)) {
    const CaseResult& first = *cases[of_cases.members.front().second];
    Family& family = found.emplace_back();
    family.op = of_cases.op;
    family.parameter = of_cases.parameter;
    family.fixed = fixed_parameters(first, of_cases.parameter);
    for (const auto& [value, index] : of_cases.members)
      family.members.emplace_back(static_cast<double>(value), &all[index]);
  }
  return found;
}

std::vector<OverValue> over_value(const std::vector<Timed>& all, const std::string& parameter,
                                  const std::string& base) {
  using ByValue = std::map<std::string, const CaseResult*>;
  using OpOnDevice = std::pair<std::string, std::string>;
  std::map<OpOnDevice, std::map<std::string, ByValue>> by_place;  // by problem
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const std::string value = parameter_text(c, parameter);
    if (is_ceiling(c) || value.empty()) continue;
    keep_faster(by_place[{c.op, c.device}][problem_without(c, parameter)][value], c);
  }
  std::vector<OverValue> found;
  for (const auto& [place, problems] : by_place) {
    std::map<std::string, std::vector<Estimate>> faster;  // by value
    std::map<std::string, const CaseResult*> slowest;     // the case in `base` that has the least ratio
    for (const auto& [problem, values] : problems) {
      const auto known = values.find(base);
      if (known == values.end()) continue;
      for (const auto& [value, c] : values) {
        if (value == base) continue;
        const Estimate over{.value = known->second->seconds->median / c->seconds->median};
        std::vector<Estimate>& others = faster[value];
        if (std::ranges::all_of(others, [&](const Estimate& one) { return over.value < one.value; }))
          slowest[value] = known->second;
        others.push_back(over);
      }
    }
    for (const auto& [value, ratios] : faster) {
      const auto [least, most] = std::ranges::minmax(ratios, {}, &Estimate::value);
      found.push_back({.op = place.first,
                       .device = place.second,
                       .value = value,
                       .mean = geometric_mean(ratios).value,
                       .least = least.value,
                       .most = most.value,
                       .problems = ratios.size(),
                       .least_in = problem_title(*slowest.at(value))});
    }
  }
  return found;
}

std::string range_text(std::size_t problems, double least, double most) {
  const std::string low = factor_text(least);
  const std::string high = factor_text(most);
  if (problems == 1) return "";
  return low == high ? fmt::format(" ({} problems, {} in each)", problems, high)
                     : fmt::format(" ({} problems: {} to {})", problems, low, high);
}

std::vector<OverValue> over_f32(const std::vector<Timed>& all) {
  return over_value(all, "dtype", "f32");
}

}  // namespace breakeven
