#pragma once

#include <filesystem>
#include <vector>

namespace breakeven {

/// The files that measuring configs reads, so that no output replaces one: the configs, and every file (or
/// those in every folder) that one of their strings leads to, as shapes and data sets are named. Throws
/// ConfigError where a config cannot be read.
std::vector<std::filesystem::path> files_of_configs(const std::vector<std::filesystem::path>& configs);

}  // namespace breakeven
