// The parts that every kind of config has.
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"
#include "plan/json_file.h"

namespace breakeven {

/// Each throws ConfigError.
Measure read_measure(const Json& json, const Place& place);
std::vector<std::string> read_backends(const Json& json, const Place& place);

}  // namespace breakeven
