// Files that a subcommand writes because an option names them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace breakeven {

/// Writes the file completely or not at all. "-" is standard output. Adds to a file in which a CI runner
/// collects what all commands of a step write, such as $GITHUB_STEP_SUMMARY. Throws CommandError if it cannot
/// be written.
void write_text_file(const std::string& path, const std::string& text);

/// Calls `write` to show and write the measurements. If it fails, and the file `target` (from --out; may be
/// empty) does not contain `text` either, saves `text` where there is room, and throws a CommandError that
/// names the place.
void write_or_rescue(const std::string& target, const std::string& text, const std::function<void()>& write);

/// Reports a file that was written, in one line on standard error, except standard output, a pipe or a
/// device. Appends `shown_by`, the command that shows the file, if it is not empty.
void report_saved_file(const std::string& path, const std::string& shown_by = {});

/// A file that an option names; "-" is standard output.
struct OutputFile {
  std::string option;  // in messages: "--csv"
  std::string path;
};

/// Throws CommandError if the output is one of these files, by whatever path or link, or through a shell's
/// redirection of standard input. Empty or missing inputs are ignored.
void refuse_inputs(const OutputFile& output, const std::vector<std::filesystem::path>& inputs);

/// Throws CommandError if two options name one file, or a file is among `inputs` or cannot be written. Call
/// it before anything is measured or written.
void check_output_files(const std::vector<OutputFile>& outputs,
                        const std::vector<std::filesystem::path>& inputs = {});

/// A file that holds the results so far during a measurement, so that they survive a kill at any moment.
class WorkingFile {
 public:
  /// An empty path means no file.
  explicit WorkingFile(std::string path) : path_(std::move(path)) {}
  /// Saves at most once every few seconds, and never to standard output or a device. Ignores a full disk,
  /// which the final write reports.
  void save(const std::function<std::string()>& text);

 private:
  std::string path_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace breakeven
