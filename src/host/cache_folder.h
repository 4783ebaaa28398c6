// The folder for files that can be made again.
#pragma once

#include <filesystem>

namespace breakeven {

/// The folder breakeven in XDG_CACHE_HOME, or in ~/.cache (XDG Base Directory Specification). Empty if the
/// environment names neither by an absolute path. It may not exist.
std::filesystem::path user_cache_folder();

}  // namespace breakeven
