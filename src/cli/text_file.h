// Files that a subcommand writes because an option names them.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace breakeven {

/// "-" is standard output. Throws CommandError where it cannot be written.
void write_text_file(const std::string& path, const std::string& text);

/// Throws CommandError where two options (name and file; empty is none) name one file, or one cannot be
/// written: before anything is measured.
void check_output_files(const std::vector<std::pair<std::string, std::string>>& options);

/// A file that holds what is known so far while something is measured, so that a kill at any moment leaves
/// that.
class WorkingFile {
 public:
  explicit WorkingFile(std::string path) : path_(std::move(path)) {}
  /// By renaming a finished one into place; not more often than every few seconds, and only where it is an
  /// ordinary file, which is there already. A disk that is full now is left to whoever writes the file in the
  /// end.
  void save(const std::function<std::string()>& text);

 private:
  std::string path_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace breakeven
