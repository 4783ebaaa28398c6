// Where files about this machine are, unless somebody says otherwise.
#pragma once

#include <filesystem>

namespace breakeven {

/// results/HOST under the current folder.
std::filesystem::path results_folder();

/// Of a selftest, in results_folder().
inline constexpr const char* selftest_file = "selftest.json";

}  // namespace breakeven
