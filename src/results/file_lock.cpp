#include "results/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "results/whole_file.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// Opens the lock file, and creates it if it is missing. Linux may refuse to open a file with O_CREAT if
/// another user owns it and the folder is one such as /tmp (fs.protected_regular).
int open_lock(const fs::path& path) {
  constexpr int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;  // a pipe of this name does not block
  const int made = open(path.c_str(), flags | O_CREAT, 0666);
  return made >= 0 || errno != EACCES ? made : open(path.c_str(), flags);
}

/// False if the previous owner of the lock removed the file after this process opened it.
bool is_still(const fs::path& path, int descriptor) {
  struct stat opened {
  }, there{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(const fs::path& file) {
  constexpr int attempts = 100;
  if (file.empty() || file == "-" || is_special_file(file)) return;
  const fs::path target = link_target(file);
  for (int i = 0; i < attempts && !take(target); ++i) {
  }
  if (path_.empty()) return;
  for (const fs::path& written : {target, previous_of(target)}) remove_unfinished(written);
}

/// Tries to lock the file. Returns false if it must be tried again.
bool FileLock::take(const fs::path& file) {
  const fs::path folder = file.parent_path();
  path_ = folder / fmt::format(".{}.lock", file.filename().string());
  make_folders(folder);
  descriptor_ = open_lock(path_);
  if (descriptor_ < 0) {
    const int error = errno;
    path_.clear();
    if (error == ENOENT) return false;  // another process removed its empty folder
    descriptor_ = open(file.c_str(),
                       O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // lock the file itself: it is written in place
    if (descriptor_ < 0) return true;
  }
  const bool is_taken = flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && (path_.empty() || is_still(path_, descriptor_))) return true;
  close(descriptor_);
  descriptor_ = -1;
  path_.clear();
  if (is_taken)
    throw FileInUse(
        fmt::format("{}: another run writes it; wait until that has ended, or give another file with --out",
                    file.string()));
  return false;
}

void FileLock::make_folders(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::exists(folder, error)) return;
  make_folders(folder.parent_path());
  if (fs::create_directory(folder, error)) made_.push_back(folder);
}

FileLock::~FileLock() {
  if (!path_.empty()) unlink(path_.c_str());  // while it is locked, and so still this process's
  if (descriptor_ >= 0) close(descriptor_);
  std::for_each(made_.rbegin(), made_.rend(), [](const fs::path& folder) { rmdir(folder.c_str()); });
}

}  // namespace breakeven
