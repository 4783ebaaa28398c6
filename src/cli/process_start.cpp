#include "cli/process_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace breakeven {
namespace {

void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free, which is this one: those below are open by now.
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// A handler, unlike SIG_IGN, is not inherited by the programs that are started.
void fail_beyond_largest_file() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

std::atomic<void*>& reserve() {
  static std::atomic<void*> kept{nullptr};
  return kept;
}

/// What is kept back is given back before the failure is thrown, for the destructors and handlers on its way.
void give_up_memory() {
  std::free(reserve().exchange(nullptr));
  throw std::bad_alloc();
}

void keep_memory() {
  constexpr std::size_t size = std::size_t{4} << 20U;
  reserve() = std::malloc(size);
  std::set_new_handler(give_up_memory);
}

}  // namespace

void prepare_process() {
  open_missing_streams();
  fail_beyond_largest_file();
  keep_memory();
}

}  // namespace breakeven
