// An entry of a config's workloads, with its share in a mix.
#pragma once

#include <filesystem>
#include <vector>

#include "plan/json_file.h"
#include "plan/sweep.h"

namespace breakeven {

/// An entry of "workloads". `weight`: how often each of its cases runs. `or_dtype`: the other dtypes that are
/// acceptable, too.
struct Share {
  Sweep sweep;
  double weight = 1;
  std::vector<Sweep> instead;  // the sweep in each of the other dtypes, with the same cases in the same order
};

/// Reads an entry. `folder` is the config's folder. Throws ConfigError.
Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder);

}  // namespace breakeven
