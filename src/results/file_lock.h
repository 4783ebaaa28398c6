// Prevents two runs from writing the same file: the later one would replace the results of the earlier one.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace breakeven {

/// Thrown if another process writes the file. The message names the file and the remedy.
class FileInUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reserves a file for this process during the object's lifetime, by a lock on `.NAME.lock` beside it. The
/// destructor removes the lock file, and folders that the constructor made and that are still empty. The
/// kernel releases the lock when the process ends, so that a file left by a killed process does not block the
/// next one, which removes it.
///
/// An empty path, a pipe, a device and standard output ("-") are not locked. A file on which no lock is
/// possible is written without one.
class FileLock {
 public:
  /// Locks the file. Throws FileInUse.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock(FileLock&&) = delete;
  FileLock& operator=(FileLock&&) = delete;

 private:
  bool take(const std::filesystem::path& file);
  void make_folders(const std::filesystem::path& folder);

  std::filesystem::path path_;               // of the lock file; empty: none was made
  std::vector<std::filesystem::path> made_;  // folders that were made, the outermost first
  int descriptor_ = -1;
};

}  // namespace breakeven
