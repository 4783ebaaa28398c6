// Files that a subcommand writes because an option names them.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace breakeven {

/// Declares that the option names a file to write: an empty name is refused with a CommandError, and a name
/// of the program's own standard output, such as /dev/stdout, becomes "-". Returns the option.
CLI::Option* accept_output_file(CLI::Option* option);

/// Writes the file whole or not at all. "-" is standard output. Throws CommandError where it cannot be
/// written.
void write_text_file(const std::string& path, const std::string& text);

/// Shows and writes what was measured, by `write`. If that fails, and the file `target` (of --out; may be
/// empty) does not hold `text` either, saves `text` where there is room, and throws a CommandError that says
/// where.
void write_or_rescue(const std::string& target, const std::string& text, const std::function<void()>& write);

/// Names a file that was written, in one line on standard error; nothing for standard output, a pipe or a
/// device. Behind it, if it is not empty, the command that shows it.
void report_saved_file(const std::string& path, const std::string& shown_by = {});

/// A file that an option names; "-" is standard output.
struct OutputFile {
  std::string option;  // as messages show it: "--csv"
  std::string path;
};

/// Throws CommandError if the output is one of these files, by whatever path or link, or as the file that a
/// shell opened for standard input. Inputs that are empty or missing are none.
void refuse_inputs(const OutputFile& output, const std::vector<std::filesystem::path>& inputs);

/// Throws CommandError, before anything is measured or written, for two options with one file, a file that is
/// among `inputs`, or one that cannot be written.
void check_output_files(const std::vector<OutputFile>& outputs,
                        const std::vector<std::filesystem::path>& inputs = {});

/// A file that holds what is known so far while something is measured, so that a kill at any moment leaves
/// that.
class WorkingFile {
 public:
  /// Empty: there is none.
  explicit WorkingFile(std::string path) : path_(std::move(path)) {}
  /// Not more often than every few seconds, and not to standard output or a device. A disk that is full now
  /// is left to whoever writes the file in the end.
  void save(const std::function<std::string()>& text);

 private:
  std::string path_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace breakeven
