// The parameter `ranks` of workloads that several processes compute together.
#pragma once

#include <cstdint>

#include "workloads/parameters.h"

namespace breakeven {

inline constexpr std::int64_t most_ranks = 4096;

inline Parameter ranks_parameter(std::int64_t default_value) {
  return integer_parameter("ranks", "processes that compute it together, started by the launcher", 1,
                           most_ranks, default_value);
}

/// The number of ranks of a case; 1 for a workload without the parameter.
inline std::int64_t ranks_of(const Parameters& parameters) {
  return parameters.find("ranks") == nullptr ? 1 : parameters.integer("ranks");
}

}  // namespace breakeven
