// The parts that every kind of config has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plan/config.h"
#include "plan/json_file.h"

namespace breakeven {

/// Reads a config from a file that was already parsed. `path` is the file's path. Throws ConfigError.
Config config_from(const JsonFile& file, const std::filesystem::path& path);
std::vector<std::string> read_backends(const Json& json, const Place& place);

}  // namespace breakeven
