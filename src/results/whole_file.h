// Files that are read and written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

/// A file that is larger than its reader takes. The message says how large it is where that is known, the
/// limit, and what to do; it does not name the file.
class FileTooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All of a file; "-" is standard input. One that says to be larger than `most` bytes is not opened; a pipe
/// or a device is read no further. Throws FileTooLarge, and std::system_error whose code says why it cannot
/// be read.
std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t most);

/// The path that a link leads to, whether or not a file is there; any other path unchanged. So is a link to a
/// pipe or a device, as /dev/stdout is: its target may have no path.
std::filesystem::path link_target(const std::filesystem::path& path);

/// NAME.previous.json, as which an earlier NAME.json is kept.
std::filesystem::path previous_of(std::filesystem::path path);

/// True for what exists and is not an ordinary file: a folder, a pipe, a device.
bool is_special_file(const std::filesystem::path& path);

/// Throws std::system_error, whose code says why, if write_whole_file() could not write this file. Leaves
/// everything as it is: where the file's folder is missing, it looks at the nearest one above.
void expect_writable(const std::filesystem::path& path);

/// Makes the folder of this file and those above it, where they are missing. A failure shows when the file is
/// written.
void make_folder_of(const std::filesystem::path& file);

/// Makes the file's folder. Writes a file beside it, whose name no other process uses, to the disk, and
/// renames it into place: if that fails, as on a full disk, the old file stays as it was and nothing is left
/// beside it; after a loss of power there is the old file or the new one. Follows a link; keeps the file's
/// permissions. Writes directly to a pipe or a device, and to a file in a folder where no file can be made
/// beside it. Throws std::system_error.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Removes the files that write_whole_file() was writing beside `path`, which is no link, when its process
/// was killed. A process that is still there may be writing.
void remove_unfinished(const std::filesystem::path& path);

}  // namespace breakeven
