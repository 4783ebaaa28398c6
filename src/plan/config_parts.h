// What every kind of config has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plan/config.h"
#include "plan/json_file.h"

namespace breakeven {

/// Each throws ConfigError. `path` is where the file was read.
Config config_from(const JsonFile& file, const std::filesystem::path& path);
std::vector<std::string> read_backends(const Json& json, const Place& place);

}  // namespace breakeven
