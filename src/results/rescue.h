#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace breakeven {

/// The folder results/HOST, relative to the working directory.
std::filesystem::path results_folder_of(const std::string& host);

/// Saves results that cannot be written to `target` ("-" is standard output) in a new file: beside it, or
/// else in `results_folder`, in the folder for temporary files (TMPDIR, or else /tmp), or in the home folder.
/// Returns the file's path; empty if none of them is writable.
std::optional<std::filesystem::path> save_rescue(const std::filesystem::path& target,
                                                 const std::filesystem::path& results_folder,
                                                 std::string_view text);

/// The end of a message about a target that cannot be written: the place of the rescued text, or that it is
/// lost.
std::string describe_rescue(const std::optional<std::filesystem::path>& rescued);

}  // namespace breakeven
