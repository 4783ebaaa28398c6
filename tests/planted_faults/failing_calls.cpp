// Calls of the system that fail on demand: with BREAKEVEN_FAILING=CALL=N, the N-th call of `malloc`, or of
// `write`, `fsync`, `open` (to create a file) or `rename`, fails as if memory or a disk were full. It counts
// from the moment when the driver has prepared for such failures, because code that runs before main() cannot
// report any. With BREAKEVEN_FAILING=sched_setaffinity every call of that fails, as in some sandboxes.
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

// glibc's own function, which can be called before any other can be looked up.
extern "C" void* __libc_malloc(std::size_t size);

namespace {

std::atomic<bool> is_ready{false};

/// True if this call of `name` is the one that fails.
bool fails(const char* name, std::atomic<long>& calls) {
  if (!is_ready) return false;
  const char* asked = std::getenv("BREAKEVEN_FAILING");
  const std::size_t length = std::strlen(name);
  if (asked == nullptr || std::strncmp(asked, name, length) != 0 || asked[length] != '=') return false;
  return ++calls == std::strtol(asked + length + 1, nullptr, 10);
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

/// The driver handles SIGXFSZ when it prepares for failures (cli/main.cpp).
int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  static auto* const original = real<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  if (number == SIGXFSZ) is_ready = true;
  return original(number, action, before);
}

void* malloc(std::size_t size) {
  static std::atomic<long> calls{0};
  if (!fails("malloc", calls)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static std::atomic<long> calls{0};
  static auto* const original = real<ssize_t(int, const void*, std::size_t)>("write");
  struct stat status {};
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file || !fails("write", calls)) return original(descriptor, bytes, count);
  errno = ENOSPC;
  return -1;
}

int fsync(int descriptor) {
  static std::atomic<long> calls{0};
  static auto* const original = real<int(int)>("fsync");
  if (!fails("fsync", calls)) return original(descriptor);
  errno = ENOSPC;
  return -1;
}

int open(const char* path, int flags, ...) {
  static std::atomic<long> calls{0};
  static auto* const original = real<int(const char*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if ((flags & O_EXCL) == 0 || !fails("open", calls)) return original(path, flags, mode);
  errno = ENOSPC;
  return -1;
}

int rename(const char* from, const char* to) {
  static std::atomic<long> calls{0};
  static auto* const original = real<int(const char*, const char*)>("rename");
  if (!fails("rename", calls)) return original(from, to);
  errno = ENOSPC;
  return -1;
}

int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* cpus) noexcept {
  static auto* const original = real<int(pid_t, std::size_t, const cpu_set_t*)>("sched_setaffinity");
  const char* asked = std::getenv("BREAKEVEN_FAILING");
  if (asked == nullptr || std::strcmp(asked, "sched_setaffinity") != 0) return original(thread, bytes, cpus);
  errno = EPERM;
  return -1;
}

}  // extern "C"
