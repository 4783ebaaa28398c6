// Cases on a small data set on disk.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "unit/idx_files.h"
#include "unit/temporary_folder.h"
#include "workloads/network.h"
#include "workloads/networks.h"
#include "workloads/workload.h"

namespace breakeven {

using Given = std::vector<std::pair<std::string, Value>>;

/// A case of `op` with these parameters, and the default values of all others.
inline Case case_of(const std::string& op, const Given& given) {
  Parameters parameters;
  for (const auto& [name, value] : given) parameters.set(name, value);
  return make_case(*find_workload(op), parameters);
}

inline Network network_of(const Given& given) {
  Given all = given;
  all.emplace_back("batch", std::int64_t{1});
  return make_network(case_of("infer", all).parameters);
}

}  // namespace breakeven
