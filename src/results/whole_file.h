// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace breakeven {

/// Where a link leads, whether or not a file is there; any other path as it is.
std::filesystem::path link_target(const std::filesystem::path& path);

/// Throws std::system_error, whose code says why, where write_whole_file() could not write this file. Leaves
/// everything as it is.
void expect_writable(const std::filesystem::path& path);

/// Replaces the file by renaming a finished one into place: where that fails, as on a full disk, the old file
/// stays as it was. A link is followed; the file's permissions stay. A pipe or a device is written to, and so
/// is a file in a folder where none can be made beside it. Throws std::system_error.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

}  // namespace breakeven
