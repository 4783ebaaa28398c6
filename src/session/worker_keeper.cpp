#include "session/worker_keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include "host/steady_clock.h"

namespace breakeven {
namespace {

/// The parent of a process with a folder in /proc; -1 if the process has gone.
pid_t parent_of(const char* process) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%.20s/stat", process);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 512> text{};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  // The format is PID (NAME) STATE PARENT ..., where NAME may contain any character.
  const std::string_view stat(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t name_end = stat.rfind(')');
  constexpr std::size_t to_parent = 4;  // length of ") S "
  if (name_end == std::string_view::npos || name_end + to_parent >= stat.size()) return -1;
  pid_t parent = -1;
  std::from_chars(stat.data() + name_end + to_parent, stat.data() + stat.size(), parent);
  return parent;
}

/// Kills all child processes, and only those: the id of a child that has not been waited for cannot be
/// reused.
void kill_children() {
  const pid_t self = getpid();
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return;
  while (const dirent* entry = readdir(processes)) {
    pid_t process = 0;
    const char* name = entry->d_name;
    if (std::from_chars(name, name + std::strlen(name), process).ec == std::errc{} && parent_of(name) == self)
      kill(process, SIGKILL);
  }
  closedir(processes);
}

/// Collects children that have ended, including the program's status if it has. Returns false if no child is
/// left.
bool collect(pid_t program, bool& ended, int& status) {
  for (;;) {
    int of_child = 0;
    const pid_t child = waitpid(-1, &of_child, WNOHANG);
    if (child <= 0) return child == 0;
    if (child != program) continue;
    ended = true;
    status = of_child;
  }
}

/// Waits until a child has ended, for a hundredth of a second at most.
void wait_for_child() {
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const timespec wait{.tv_sec = 0, .tv_nsec = 10'000'000};
  sigtimedwait(&child_ended, nullptr, &wait);
}

/// Asks a launcher to end, and waits for that. It may take a while to end its processes on other machines.
void ask_to_end(pid_t launcher, bool& ended, int& status) {
  constexpr double patience = 3;
  const auto start = Clock::now();
  kill(launcher, SIGTERM);
  while (collect(launcher, ended, status) && !ended && seconds_since(start) < patience) wait_for_child();
}

/// Kills children until there are none, because the children of a killed child become children of this
/// process. Gives up after some seconds if the kernel does not end one.
void kill_descendants(pid_t program, bool& ended, int& status) {
  constexpr double patience = 5;
  const auto start = Clock::now();
  while (collect(program, ended, status) && seconds_since(start) < patience) {
    kill_children();
    wait_for_child();
  }
}

/// Ends this process with the program's exit status or signal.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};  // the program's own core dump is the useful one
    setrlimit(RLIMIT_CORE, &no_core);
    const int signal = WTERMSIG(status);
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    std::raise(signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/// Runs the keeper until the program ends, the driver ends or SIGTERM arrives. All signals are blocked.
[[noreturn]] void watch_over(pid_t program, bool is_launcher) {
  prctl(PR_SET_NAME, "backend-keeper");
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, children leave no status
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  bool ended = false;
  int status = 0;
  collect(program, ended, status);  // the program may have ended before SIGCHLD was restored
  while (!ended && sigwaitinfo(&awaited, nullptr) != SIGTERM) collect(program, ended, status);
  if (!ended && is_launcher) ask_to_end(program, ended, status);
  if (!ended) kill(program, SIGKILL);
  kill_descendants(program, ended, status);
  end_like(status);
}

}  // namespace

WorkerKeeper::WorkerKeeper(bool is_launcher) : is_launcher_(is_launcher), driver_(getpid()) {
  if (pipe2(pipe_.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "no pipe to its keeper");
}

WorkerKeeper::~WorkerKeeper() {
  for (const int end : pipe_) {
    if (end >= 0) close(end);
  }
}

void WorkerKeeper::start() const {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  // With its own process group, Ctrl-C in the terminal reaches neither process before the driver has saved.
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM));
  if (getppid() != driver_) _exit(EXIT_FAILURE);
  const pid_t keeper = getpid();
  const pid_t program = fork();
  if (program == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    if (getppid() != keeper) _exit(EXIT_FAILURE);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  if (program < 0) {
    dprintf(STDERR_FILENO, "no process for it: %s\n", std::strerror(errno));
    _exit(EXIT_FAILURE);
  }
  const bool told = write(pipe_[1], &program, sizeof program) == sizeof program;
  closefrom(0);  // otherwise pipes would stay open after the program's end
  if (!told) kill(program, SIGKILL);
  watch_over(program, is_launcher_);
}

pid_t WorkerKeeper::program() {
  close(pipe_[1]);
  pipe_[1] = -1;
  pid_t program = -1;
  ssize_t size = 0;
  do {
    size = read(pipe_[0], &program, sizeof program);
  } while (size < 0 && errno == EINTR);
  return size == sizeof program ? program : -1;
}

}  // namespace breakeven
