// Lists of published problems: `{"source", "columns": [...], "rows": [[...]]}`.
#pragma once

#include <filesystem>

#include "plan/sweep.h"

namespace breakeven {

/// The rows of the file as an axis over its columns, which are parameters of `workload` or "label".
/// `data` paths in it are relative to `folder`. Throws ConfigError, with the shape file's name.
Axis read_shapes(const std::filesystem::path& path, const Workload& workload,
                 const std::filesystem::path& folder);

}  // namespace breakeven
