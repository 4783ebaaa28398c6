#include "cli/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace breakeven::cli_tests {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Returns the end to read from and the end for the program to write to.
std::array<int, 2> stream(bool terminal) {
  std::array<int, 2> ends{};
  if (terminal) {
    const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    if (openpty(&ends[0], &ends[1], nullptr, nullptr, &size) != 0) fail("openpty");
  } else if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("pipe2");
  }
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return ends;
}

/// Appends the available output. Returns false at the end. A terminal that no process holds open reads as an
/// error.
bool drain(int descriptor, std::string& into) {
  std::array<char, 65536> chunk{};
  const ssize_t count = read(descriptor, chunk.data(), chunk.size());
  if (count > 0) into.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

Process::Process(const Launch& launch) {
  std::vector<std::string> words{launch.program.string()};
  words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto out = stream(launch.all_terminal);
  const auto err = stream(launch.terminal || launch.all_terminal);
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    setpgid(0, 0);
    std::signal(SIGHUP, SIG_DFL);  // the tests may run under nohup
    if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) _exit(126);
    for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(launch.output_file.empty() ? out[1] : open(launch.output_file.c_str(), O_WRONLY | O_CREAT, 0600),
         STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) close(out_);
  if (err_ >= 0) close(err_);
}

void Process::send(int signal) const {
  // -1 would mean every process of this user.
  if (pid_ <= 0) throw std::logic_error("a signal for a program that was waited for");
  if (kill(pid_, signal) != 0) fail("kill");
}

bool Process::read_some() {
  std::array<pollfd, 2> streams{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  poll(streams.data(), streams.size(), 50);  // closed ones are -1 and ignored
  const auto take = [](const pollfd& ready, int& descriptor, std::string& into) {
    if (descriptor < 0 || ready.revents == 0 || drain(descriptor, into)) return;
    close(descriptor);
    descriptor = -1;
  };
  take(streams[0], out_, outcome_.out);
  take(streams[1], err_, outcome_.err);
  return out_ >= 0 || err_ >= 0;
}

Outcome Process::wait(std::chrono::duration<double> timeout) {
  const auto end = Clock::now() + timeout;
  while (read_some() && Clock::now() < end) {
  }
  outcome_.in_time = Clock::now() < end;
  if (!outcome_.in_time) kill(-pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome_.by_signal = WIFSIGNALED(status);
  outcome_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome_;
}

Outcome run(const Launch& launch) {
  return Process(launch).wait();
}

Outcome with_status(int status, Outcome outcome, const char* file, int line) {
  const testing::ScopedTrace caller(file, line, "the program's status");
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  return outcome;
}

bool eventually(const std::function<bool()>& condition, std::chrono::duration<double> timeout) {
  const auto end = Clock::now() + timeout;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace breakeven::cli_tests
