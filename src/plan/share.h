// An entry of a config's workloads, with its share in a mix of work.
#pragma once

#include <filesystem>
#include <vector>

#include "plan/json_file.h"
#include "plan/sweep.h"

namespace breakeven {

/// One entry of "workloads": `weight` is how often each of its cases runs, `or_dtype` the dtypes that will
/// do, too.
struct Share {
  Sweep sweep;
  double weight = 1;
  std::vector<Sweep> instead;  // the same in each of the other dtypes: case by case
};

/// Throws ConfigError. `folder` is that of the config.
Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder);

}  // namespace breakeven
