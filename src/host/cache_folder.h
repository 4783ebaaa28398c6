// The folder for files that can be made again.
#pragma once

#include <filesystem>

namespace breakeven {

/// The folder breakeven in XDG_CACHE_HOME, or in ~/.cache (XDG Base Directory Specification). Empty if the
/// environment names neither by an absolute path. It may not exist.
std::filesystem::path user_cache_folder();

/// If it is 1, the reference backend takes results that it has computed before from its cache. The driver
/// sets it for measurements unless the user has set it, and never for conformance.
inline constexpr const char* reference_cache_variable = "BREAKEVEN_REFERENCE_CACHE";

}  // namespace breakeven
