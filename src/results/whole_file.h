// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace breakeven {

/// The path that a link leads to, whether or not a file is there; any other path unchanged.
std::filesystem::path link_target(const std::filesystem::path& path);

/// Throws std::system_error, whose code says why, if write_whole_file() could not write this file. Leaves
/// everything as it is: where the file's folder is missing, it looks at the nearest one above.
void expect_writable(const std::filesystem::path& path);

/// Makes the folder of this file and those above it, where they are missing. A failure shows when the file is
/// written.
void make_folder_of(const std::filesystem::path& file);

/// Makes the file's folder. Replaces the file by renaming a finished one into place: if that fails, as on a
/// full disk, the old file stays as it was. Follows a link; keeps the file's permissions. Writes directly to
/// a pipe or a device, and to a file in a folder where no file can be made beside it. Throws
/// std::system_error.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

}  // namespace breakeven
