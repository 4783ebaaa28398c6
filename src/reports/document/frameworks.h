// Compares frameworks with the libraries that programs call without one, problem by problem.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "reports/document/families.h"
#include "statistics/estimate.h"

namespace breakeven {

/// The fastest results for one problem on one device. Points into the results.
struct FrameworkProblem {
  const CaseResult* library = nullptr;                       // of all backends that are not frameworks
  std::map<std::string, const CaseResult*> frameworks = {};  // by backend

  const CaseResult& fastest_framework() const;
};

/// The problems, by device, that were measured with both a library and a framework. Ceilings are left out.
std::map<std::string, std::vector<FrameworkProblem>> framework_problems(const std::vector<Timed>& all);

/// A framework's time divided by the fastest library's.
struct FrameworkCost {
  std::string backend;
  Estimate mean = {.value = 1};  // geometric
  bool is_rough = false;         // too many ratios in the mean have no interval
  double least = 1, most = 1;
  std::size_t problems = 0;
};

/// The costs of all frameworks, by rising mean.
std::vector<FrameworkCost> framework_costs(const std::vector<FrameworkProblem>& problems);

}  // namespace breakeven
