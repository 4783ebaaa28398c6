#include "reports/document/frameworks.h"

#include <algorithm>

#include "reports/document/standings.h"
#include "results/backend_spelling.h"
#include "verdicts/roofline.h"

namespace breakeven {

const CaseResult& FrameworkProblem::fastest_framework() const {
  const CaseResult* best = nullptr;
  for (const auto& [backend, result] : frameworks) keep_faster(best, *result);
  return *best;
}

std::map<std::string, std::vector<FrameworkProblem>> framework_problems(const std::vector<Timed>& all) {
  std::map<std::string, std::map<std::string, FrameworkProblem>> by_device;  // by id
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c)) continue;
    FrameworkProblem& problem = by_device[c.device][c.id];
    keep_faster(is_framework(c.backend) ? problem.frameworks[c.backend] : problem.library, c);
  }
  std::map<std::string, std::vector<FrameworkProblem>> found;
  for (const auto& [device, problems] : by_device) {
    for (const auto& [id, problem] : problems) {
      if (problem.library != nullptr && !problem.frameworks.empty()) found[device].push_back(problem);
    }
  }
  return found;
}

std::vector<FrameworkCost> framework_costs(const std::vector<FrameworkProblem>& problems) {
  std::map<std::string, std::vector<Estimate>> ratios;  // by backend
  for (const FrameworkProblem& problem : problems) {
    for (const auto& [backend, result] : problem.frameworks)
      ratios[backend].push_back(ratio(result->seconds->estimate(), problem.library->seconds->estimate()));
  }
  std::vector<FrameworkCost> costs;
  costs.reserve(ratios.size());
  for (const auto& [backend, all] : ratios) {
    const auto [least, most] = std::ranges::minmax(all, {}, &Estimate::value);
    costs.push_back({.backend = backend,
                     .mean = geometric_mean(all),
                     .is_rough = is_rough(all),
                     .least = least.value,
                     .most = most.value,
                     .problems = all.size()});
  }
  std::ranges::stable_sort(costs, {}, [](const FrameworkCost& cost) { return cost.mean.value; });
  return costs;
}

}  // namespace breakeven
