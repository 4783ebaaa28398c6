// Reads and writes whole files: all or nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

/// Thrown for a file that exceeds its reader's limit. The message gives the size, if it is known, the limit
/// and the remedy; it does not name the file.
class FileTooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a whole file; "-" is standard input. A file of more than `most` bytes is not opened; reading a pipe
/// or a device stops after as many. Throws FileTooLarge, and std::system_error with the reason if the file
/// cannot be read.
std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t most);

/// The same in parts, each valid until the next; an empty part is the end. Opens the file at once; the parts
/// throw, too.
std::function<std::string_view()> parts_of_file(const std::filesystem::path& path, std::uintmax_t most);

/// The path that a link leads to, whether or not a file exists there. Any other path is unchanged, and so is
/// a link to a pipe or a device, such as /dev/stdout, because its target may have no path.
std::filesystem::path link_target(const std::filesystem::path& path);

/// NAME.previous.json, the name under which the previous NAME.json is kept.
std::filesystem::path previous_of(std::filesystem::path path);

/// True if the path exists and is not an ordinary file: a folder, a pipe, a device.
bool is_special_file(const std::filesystem::path& path);

/// True if standard output was closed when the program started (cli/main.cpp): it cannot be written.
bool is_output_closed();

/// Throws std::system_error with the reason if write_whole_file() could not write this file. Changes nothing:
/// if the file's folder does not exist, checks the nearest existing one above.
void expect_writable(const std::filesystem::path& path);

/// Makes the folder of this file and those above it if they are missing. Errors are ignored: writing the file
/// reports them.
void make_folder_of(const std::filesystem::path& file);

/// Writes a file. Makes its folder; writes a temporary file with a unique name beside it to the disk, and
/// renames it into place. If that fails, for example because the disk is full, the old file is unchanged and
/// the temporary file is removed; after a loss of power, either the old or the new file exists. Follows links
/// and keeps the file's permissions. Writes directly to a pipe or a device, and to a file in a folder where
/// no other file can be made. Waits 10 s for the reader of a named pipe, and a minute for a pipe or device
/// that takes nothing, but not after a signal. Throws std::system_error.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Adds the text to the end of a file, beginning a line; if that fails, the file is as it was. Throws
/// std::system_error.
void append_to_file(const std::filesystem::path& path, std::string_view text);

/// Removes the temporary files of killed processes that wrote `path`, which is not a link. Those of running
/// processes stay.
void remove_unfinished(const std::filesystem::path& path);

}  // namespace breakeven
