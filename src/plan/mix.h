// What a machine is wanted for: a config whose workloads have weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

struct MixEntry {
  std::string id, title;
  double weight = 1;
  std::vector<std::string> instead;  // ids of the same in other dtypes, which will do

  /// All that will do, the one that is wanted first.
  std::vector<std::string> ids() const;
};

struct Mix {
  std::string title;
  std::vector<MixEntry> entries;  // ids are unique
};

/// Of a config; the weights of a case that is there twice add up. Throws ConfigError.
Mix read_mix(const std::filesystem::path& path);

}  // namespace breakeven
