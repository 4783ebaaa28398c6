// The default location of files about this machine.
#pragma once

#include <filesystem>

namespace breakeven {

/// results/HOST in the current folder.
std::filesystem::path results_folder();

/// The file name of a selftest in results_folder().
inline constexpr const char* selftest_file = "selftest.json";

}  // namespace breakeven
