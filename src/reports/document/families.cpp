#include "reports/document/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/document/names.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {

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

void keep_faster(const CaseResult*& best, const CaseResult& one) {
  if (best == nullptr || one.seconds->median < best->seconds->median) best = &one;
}

std::set<std::string> Family::dtypes() const {
  std::set<std::string> all;
  for (const auto& [value, timed] : members) all.insert(timed->result->dtype);
  return all;
}

std::string Family::work() const {
  const std::string activity = activity_of(*members.front().second->result);
  return fixed_without_network.empty() ? activity : fmt::format("{}, {}", activity, fixed_without_network);
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
    family.fixed = printable(fixed_text(first, of_cases.parameter));
    family.fixed_without_network = printable(fixed_text(first, of_cases.parameter, "network"));
    for (const auto& [value, index] : of_cases.members)
      family.members.emplace_back(static_cast<double>(value), &all[index]);
  }
  return found;
}

std::vector<OverF32> over_f32(const std::vector<Timed>& all) {
  using ByDtype = std::map<std::string, const CaseResult*>;
  using OpOnDevice = std::pair<std::string, std::string>;
  std::map<OpOnDevice, std::map<std::string, ByDtype>> by_place;  // by problem
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c)) continue;
    keep_faster(by_place[{c.op, c.device}][rest_of(c.parameters, "dtype", false)][c.dtype], c);
  }
  std::vector<OverF32> found;
  for (const auto& [place, problems] : by_place) {
    std::map<std::string, std::vector<Estimate>> faster;  // by dtype
    for (const auto& [problem, dtypes] : problems) {
      const auto f32 = dtypes.find("f32");
      if (f32 == dtypes.end()) continue;
      for (const auto& [dtype, c] : dtypes) {
        if (dtype != "f32")
          faster[dtype].push_back({.value = f32->second->seconds->median / c->seconds->median});
      }
    }
    for (const auto& [dtype, ratios] : faster) {
      const auto [least, most] = std::ranges::minmax(ratios, {}, &Estimate::value);
      found.push_back({.op = place.first,
                       .device = place.second,
                       .dtype = dtype,
                       .mean = geometric_mean(ratios).value,
                       .least = least.value,
                       .most = most.value,
                       .problems = ratios.size()});
    }
  }
  return found;
}

}  // namespace breakeven
