#include "results/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <re2/re2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

namespace breakeven {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int cause) {
  throw std::system_error(cause, std::generic_category());
}

/// Owns a file descriptor and closes it; the descriptor is negative if opening failed.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int get() const { return descriptor_; }
  /// Closes the descriptor. Throws std::system_error: some file systems report a full disk only now.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  }

 private:
  int descriptor_;
};

/// How long a named pipe may be without a reader before it is written to, and how long any pipe or device may
/// take nothing. A reader may start at the same time, or page through the text.
constexpr std::chrono::seconds longest_without_reader{10}, longest_pause{60};

/// The error of a pipe or device that takes nothing; the kernel has none, because it would wait for ever.
class UnreadCategory : public std::error_category {
 public:
  const char* name() const noexcept override { return "unread"; }
  std::string message(int /*value*/) const override { return "nothing reads what is written there"; }
};
[[noreturn]] void fail_unread() {
  static const UnreadCategory category;
  throw std::system_error(1, category);
}

/// Waits until the pipe or device takes more. Throws std::system_error if it takes nothing for long, or at a
/// signal.
void wait_until_writable(int descriptor) {
  pollfd writable{.fd = descriptor, .events = POLLOUT, .revents = 0};
  const int ready = poll(&writable, 1, static_cast<int>(std::chrono::milliseconds(longest_pause).count()));
  if (ready == 0) fail_unread();
  if (ready < 0) fail(errno);
}

/// Writes all of the text. Throws std::system_error.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      wait_until_writable(descriptor);
      continue;
    }
    if (count <= 0) fail(count < 0 ? errno : EIO);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Opens an existing file to replace its content. A pipe or a device does not block. Throws
/// std::system_error.
Descriptor open_in_place(const fs::path& path) {
  constexpr std::chrono::milliseconds interval{20};
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    const int cause = errno;
    if (file.get() >= 0) return file;
    std::error_code error;
    if (cause != ENXIO || !fs::is_fifo(path, error)) fail(cause);
    if (std::chrono::steady_clock::now() - start >= longest_without_reader) fail_unread();
    if (poll(nullptr, 0, static_cast<int>(interval.count())) != 0) fail(errno);  // a signal
  }
}

/// Writes the file's data to the disk. Throws std::system_error, unless the file system cannot synchronize.
void synchronize(int descriptor) {
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) fail(errno);
}

/// Writes the folder to the disk, so that a rename survives a loss of power. Ignores errors, because the file
/// is complete either way.
void synchronize_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) fsync(opened.get());
}

/// Writes to an existing file. Throws std::system_error.
void write_in_place(const fs::path& path, std::string_view text) {
  Descriptor file = open_in_place(path);
  write_all(file.get(), text);
  file.close();
}

/// A temporary file beside another, with a unique name. The destructor removes it unless it was renamed.
class PartFile {
 public:
  explicit PartFile(const fs::path& target) : file_(make(target)), cause_(file_.get() < 0 ? errno : 0) {}
  ~PartFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  PartFile(PartFile&&) = delete;
  PartFile& operator=(PartFile&&) = delete;

  /// 0, or the errno with which the file could not be made.
  int cause() const { return cause_; }

  /// Writes the text to the disk. Throws std::system_error.
  void write(std::string_view text) {
    write_all(file_.get(), text);
    synchronize(file_.get());
    file_.close();
  }
  /// Sets the file's permissions if possible.
  void permit(fs::perms permissions) {
    std::error_code error;
    fs::permissions(path_, permissions, error);
  }
  /// Renames the file to `target`. Returns 0 or an errno.
  int replace(const fs::path& target) {
    if (rename(path_.c_str(), target.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  /// Makes the file and then sets `path_`. A process with the same id, in a container, may use the folder
  /// too.
  Descriptor make(const fs::path& target) {
    constexpr int attempts = 1000;
    for (int i = 0; i < attempts; ++i) {
      fs::path path = fmt::format("{}.{}-{}.part", target.string(), getpid(), i);
      Descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (made.get() >= 0) path_ = std::move(path);
      if (made.get() >= 0 || errno != EEXIST) return made;
    }
    return Descriptor(-1);
  }

  fs::path path_;  // declared before the file, which sets it
  Descriptor file_;
  int cause_;
};

bool is_running(pid_t process) {
  return kill(process, 0) == 0 || errno == EPERM;
}

/// True for errors that prevent making a file beside the target although the target itself may be writable.
bool only_in_place(int cause) {
  return cause == EACCES || cause == EPERM || cause == EROFS || cause == ENAMETOOLONG;
}

/// Throws unless the folders above `target` can be made: the nearest existing one must be a writable folder.
void expect_folder(const fs::path& target) {
  std::error_code error;
  fs::path above = target.parent_path();
  while (!above.empty() && !fs::exists(fs::symlink_status(above, error))) above = above.parent_path();
  if (above.empty()) above = ".";
  if (!fs::is_directory(above, error)) fail(ENOTDIR);
  if (access(above.c_str(), W_OK | X_OK) != 0) fail(errno);
}

double mebibytes(std::uintmax_t bytes) {
  return static_cast<double>(bytes) / 0x1p20;
}

/// A file that is read from its beginning to its end.
class OpenFile {
 public:
  OpenFile(const fs::path& path, std::uintmax_t most) : size_(size_of(path, most)), most_(most) {
    if (path == "-") return;
    file_ = Descriptor(open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
    if (file_.get() < 0) fail(errno);
  }
  /// In bytes; 0 for a pipe or a device.
  std::uintmax_t size() const { return size_; }

  std::string_view next() {
    for (;;) {
      const ssize_t count = ::read(file_.get() < 0 ? STDIN_FILENO : file_.get(), part_.data(), part_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(errno);
      read_ += static_cast<std::uintmax_t>(count);
      if (read_ > most_)
        throw FileTooLarge(fmt::format("is larger than {:g} MiB; is it the right file?", mebibytes(most_)));
      return std::string_view(part_).substr(0, static_cast<std::size_t>(count));
    }
  }

 private:
  static std::uintmax_t size_of(const fs::path& path, std::uintmax_t most) {
    struct stat status {};
    if (path == "-" ? fstat(STDIN_FILENO, &status) != 0 : stat(path.c_str(), &status) != 0) fail(errno);
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    const auto size = S_ISREG(status.st_mode) ? static_cast<std::uintmax_t>(status.st_size) : 0;
    if (size > most)
      throw FileTooLarge(
          fmt::format("is {:.1f} MiB large, and at most {:g} MiB are read; is it the right file?",
                      mebibytes(size), mebibytes(most)));
    return size;
  }

  std::uintmax_t size_, most_, read_ = 0;
  Descriptor file_{-1};
  std::string part_ = std::string(std::size_t{1} << 18U, '\0');
};

}  // namespace

std::string read_whole_file(const fs::path& path, std::uintmax_t most) {
  OpenFile file(path, most);
  std::string text;
  text.reserve(static_cast<std::size_t>(file.size()));
  for (std::string_view part = file.next(); !part.empty(); part = file.next()) text += part;
  return text;
}

std::function<std::string_view()> parts_of_file(const fs::path& path, std::uintmax_t most) {
  return [file = std::make_shared<OpenFile>(path, most)] { return file->next(); };
}

void make_folder_of(const fs::path& file) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
}

fs::path previous_of(fs::path path) {
  path.replace_extension(".previous" + path.extension().string());
  return path;
}

bool is_special_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::path link_target(const fs::path& path) {
  constexpr int most_links = 40;  // the same limit as Linux
  std::error_code error;
  if (is_special_file(path)) return path;
  fs::path target = path;
  for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  return target;
}

bool is_output_closed() {
  const int mode = fcntl(STDOUT_FILENO, F_GETFL);
  return mode < 0 || (mode & O_ACCMODE) == O_RDONLY;
}

void expect_writable(const fs::path& path) {
  std::error_code error;
  const fs::path target = link_target(path);
  // Of a path whose folders are missing, Linux says only that.
  const auto is_long = [](const fs::path& part) { return part.native().size() > NAME_MAX; };
  if (target.native().size() >= PATH_MAX || std::ranges::any_of(target, is_long)) fail(ENAMETOOLONG);
  if (fs::is_directory(target, error) || !target.has_filename()) fail(EISDIR);
  if (target.has_parent_path() && !fs::is_directory(target.parent_path(), error))
    return expect_folder(target);
  const bool is_there = fs::exists(target, error);
  if (is_there && access(target.c_str(), W_OK) != 0) fail(errno);
  if (is_special_file(target)) return;
  const int cause = PartFile(target).cause();
  if (cause != 0 && !(is_there && only_in_place(cause))) fail(cause);
}

void write_whole_file(const fs::path& path, std::string_view text) {
  const fs::path target = link_target(path);
  std::error_code error;
  if (is_special_file(target)) return write_in_place(target, text);
  make_folder_of(target);
  const fs::file_status old = fs::status(target, error);
  PartFile part(target);
  if (fs::exists(old) && only_in_place(part.cause())) return write_in_place(target, text);
  if (part.cause() != 0) fail(part.cause());
  part.write(text);
  if (fs::exists(old)) part.permit(old.permissions());
  const int cause = part.replace(target);
  if (cause == EBUSY) return write_in_place(target, text);  // a mounted file, as in a container
  if (cause != 0) fail(cause);
  synchronize_folder_of(target);
}

void append_to_file(const fs::path& path, std::string_view text) {
  if (is_special_file(path)) return write_in_place(path, text);
  Descriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666));
  if (file.get() < 0) fail(errno);
  const off_t size = lseek(file.get(), 0, SEEK_END);
  char last = '\n';
  const bool is_in_line = size > 0 && pread(file.get(), &last, 1, size - 1) == 1 && last != '\n';
  try {
    write_all(file.get(), is_in_line ? "\n" : "");
    write_all(file.get(), text);
    synchronize(file.get());
  } catch (const std::system_error&) {
    (void)!ftruncate(file.get(), size);
    throw;
  }
  file.close();
}

void remove_unfinished(const fs::path& path) {
  const RE2 unfinished(RE2::QuoteMeta(path.filename().string()) + R"(\.([0-9]+)-[0-9]+\.part)",
                       RE2::Latin1);  // names may be any bytes
  std::error_code error;
  fs::directory_iterator entry(path.has_parent_path() ? path.parent_path() : ".", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    pid_t writer = 0;
    if (RE2::FullMatch(entry->path().filename().string(), unfinished, &writer) && !is_running(writer))
      unlink(entry->path().c_str());
  }
}

}  // namespace breakeven
