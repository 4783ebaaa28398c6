#include "cli/process_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "json/memory_reserve.h"

namespace breakeven {
namespace {

void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is this one, because those below it are open by now.
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// Installs a handler for SIGXFSZ. Unlike SIG_IGN, started programs do not inherit it.
void fail_beyond_largest_file() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace

void prepare_process() {
  open_missing_streams();
  fail_beyond_largest_file();
  keep_memory_back();
}

}  // namespace breakeven
