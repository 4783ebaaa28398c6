#include "results/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// Returns 0, or the errno of the failure.
int write_in_place(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) return 0;
  return errno != 0 ? errno : EIO;
}

[[noreturn]] void fail(int cause) {
  throw std::system_error(cause, std::generic_category());
}

fs::path part_of(const fs::path& target) {
  return target.string() + ".part";
}

/// True if this error can prevent making a file beside the target although the target itself can be written
/// to.
bool only_in_place(int cause) {
  return cause == EACCES || cause == EPERM || cause == EROFS || cause == ENAMETOOLONG;
}

void discard(const fs::path& part) {
  std::error_code error;
  if (fs::is_regular_file(part, error)) fs::remove(part, error);
}

bool is_special(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// Throws unless the folders above `target` can be made: the nearest that is there must be one to write to.
void expect_folder(const fs::path& target) {
  std::error_code error;
  fs::path above = target.parent_path();
  while (!above.empty() && !fs::exists(fs::symlink_status(above, error))) above = above.parent_path();
  if (above.empty()) above = ".";
  if (!fs::is_directory(above, error)) fail(ENOTDIR);
  if (access(above.c_str(), W_OK | X_OK) != 0) fail(errno);
}

}  // namespace

void make_folder_of(const fs::path& file) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
}

fs::path link_target(const fs::path& path) {
  constexpr int most_links = 40;  // as Linux follows
  std::error_code error;
  fs::path target = path;
  for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  return target;
}

void expect_writable(const fs::path& path) {
  std::error_code error;
  const fs::path target = link_target(path);
  if (fs::is_directory(target, error) || !target.has_filename()) fail(EISDIR);
  if (target.has_parent_path() && !fs::is_directory(target.parent_path(), error))
    return expect_folder(target);
  const bool is_there = fs::exists(target, error);
  if (is_there && access(target.c_str(), W_OK) != 0) fail(errno);
  if (is_special(target)) return;
  const int cause = write_in_place(part_of(target), "");
  discard(part_of(target));
  if (cause != 0 && !(is_there && only_in_place(cause))) fail(cause);
}

void write_whole_file(const fs::path& path, std::string_view text) {
  const fs::path target = link_target(path);
  std::error_code error;
  const auto in_place = [&] {
    if (const int cause = write_in_place(target, text); cause != 0) fail(cause);
  };
  if (is_special(target)) return in_place();
  make_folder_of(target);
  const fs::path part = part_of(target);
  const fs::file_status old = fs::status(target, error);
  if (const int cause = write_in_place(part, text); cause != 0) {
    discard(part);
    if (fs::exists(old) && only_in_place(cause)) return in_place();
    fail(cause);
  }
  if (fs::exists(old)) fs::permissions(part, old.permissions(), error);
  fs::rename(part, target, error);
  if (!error) return;
  const int cause = error.value();
  discard(part);
  if (cause != EBUSY) fail(cause);  // a file that is mounted, as into a container
  in_place();
}

}  // namespace breakeven
