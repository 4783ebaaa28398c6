// The settings under "measure" in the config that a result was measured with.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/result.h"

namespace breakeven {

/// The run's config under "measure"; null without a config.
nlohmann::json measure_of(const Result& result);

/// A setting in what measure_of() returned, or its default value where it has none; empty without a config.
std::string measured_with(const nlohmann::json& measure, const char* setting,
                          const std::string& default_value);

/// The options of `run` that gave a shard other settings than its config: " --seconds 0.5
/// --library-defaults". Empty if none did, and for a result that is no shard. `defaults` are those of a
/// config that says nothing.
std::string options_of_shard(const Result& result, const ShardSettings& defaults);

/// The state of the caches that a run's config requests: "warm" or "cold"; empty without a config.
std::string cache_state(const Result& result);

}  // namespace breakeven
