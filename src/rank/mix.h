// What a machine is wanted for: a config whose workloads have weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace breakeven {

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
