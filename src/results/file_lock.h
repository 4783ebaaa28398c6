// Two runs must not write one file: the later one would replace what the earlier one measured.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace breakeven {

/// Another process writes this file. The message names it and the remedy.
class FileInUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Keeps a file for this process while it lives, by a lock on `.NAME.lock` beside it, which it removes in the
/// end together with folders that it made and that are empty. The kernel gives the lock back with the
/// process, so that what a killed one leaves does not stop the next, which removes it.
///
/// No file (an empty path), a pipe, a device and standard output ("-") are not kept. Neither is a file where
/// nothing can be locked: then it is written without.
class FileLock {
 public:
  /// Throws FileInUse.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock(FileLock&&) = delete;
  FileLock& operator=(FileLock&&) = delete;

 private:
  bool take(const std::filesystem::path& file);
  void make_folders(const std::filesystem::path& folder);

  std::filesystem::path path_;               // of the lock; empty: none was made
  std::vector<std::filesystem::path> made_;  // folders, the outermost first
  int descriptor_ = -1;
};

}  // namespace breakeven
