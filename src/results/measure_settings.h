// The settings under "measure" in the config that a result was measured with.
#pragma once

#include <string>

#include "results/result.h"

namespace breakeven {

/// A setting, or its default value where the config has none; empty without a config.
std::string measured_with(const Result& result, const char* setting, const std::string& default_value);

/// The state of the caches that a run's config requests: "warm" or "cold"; empty without a config.
std::string cache_state(const Result& result);

}  // namespace breakeven
