// The work that a machine is needed for: a config whose workloads have weights.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

struct MixEntry {
  std::string id, title;
  double weight = 1;
  std::vector<std::string> instead = {};  // ids of the same case in other acceptable dtypes

  /// The ids in all acceptable dtypes, the preferred one first.
  std::vector<std::string> ids() const;
};

struct Mix {
  std::string title;
  std::vector<MixEntry> entries = {};  // those of one id accept different dtypes
};

/// The ids of all its cases, in all acceptable dtypes.
std::set<std::string> ids_of(const Mix& mix);

/// Reads a mix from a config. The weights of a case that occurs more than once with the same acceptable
/// dtypes add up. Throws ConfigError.
Mix read_mix(const std::filesystem::path& path);

/// The mix that a result's config is; empty if this program cannot read it, or if files beside it are part of
/// it.
std::optional<Mix> mix_of(const Result& result);

}  // namespace breakeven
