// Reads lists of published problems: `{"source", "columns": [...], "rows": [[...]]}`.
#pragma once

#include <filesystem>

#include "plan/sweep.h"

namespace breakeven {

/// Reads the rows of the file as an axis. Its columns are parameters of `workload` or "label". Paths to data
/// sets in the file are relative to `folder`. Throws ConfigError, with the shape file's name.
Axis read_shapes(const std::filesystem::path& path, const Workload& workload,
                 const std::filesystem::path& folder);

}  // namespace breakeven
