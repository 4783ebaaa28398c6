#pragma once

#include <filesystem>
#include <vector>

namespace breakeven {

/// Returns the files that measuring the configs reads, so that no output replaces one: the configs, and every
/// file that a string under "workloads" names, such as shapes and data sets, or all files in a folder that it
/// names. Throws ConfigError if a config cannot be read.
std::vector<std::filesystem::path> files_of_configs(const std::vector<std::filesystem::path>& configs);

}  // namespace breakeven
