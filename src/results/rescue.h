#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace breakeven {

/// results/HOST, below the working directory.
std::filesystem::path results_folder_of(const std::string& host);

/// Saves what was measured and cannot be written to `target` ("-" is standard output): in a new file beside
/// it, else in `results_folder`, in the folder for temporary files (TMPDIR, else /tmp), or in the home
/// folder. Returns the file's path; nothing where none of them takes it.
std::optional<std::filesystem::path> save_rescue(const std::filesystem::path& target,
                                                 const std::filesystem::path& results_folder,
                                                 std::string_view text);

/// The end of a message about a target that cannot be written: where the rescued text is, or that it is lost.
std::string describe_rescue(const std::optional<std::filesystem::path>& rescued);

}  // namespace breakeven
