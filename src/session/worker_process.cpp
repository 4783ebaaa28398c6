#include "session/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>
// Boost 1.86 made version 2 the default and moved this one.
#if __has_include(<boost/process/v1/child.hpp>)
#define BOOST_PROCESS_VERSION 1
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/async_pipe.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/env.hpp>
#include <boost/process/v1/environment.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
#include <boost/process/v1/group.hpp>
#include <boost/process/v1/io.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
namespace bp = boost::process;
#endif

namespace breakeven {
namespace {

namespace asio = boost::asio;

/// A line longer than this is no answer.
constexpr std::size_t longest_line = std::size_t{64} << 20U;
/// What is kept of standard error: its end says why a program died.
constexpr std::size_t kept_of_stderr = 4096;

/// How long an answer is waited for at a stretch, and how long where something is looked at meanwhile: twice
/// or more in a sample.
constexpr std::chrono::milliseconds longest_wait{100}, between_looks{4};

volatile std::sig_atomic_t interrupts = 0;

void on_signal(int signal) {
  interrupts = interrupts + 1;
  if (interrupts > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

double to_seconds(const timespec& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// While it lives, this thread's sleeps end on time, not up to 50 microseconds later. Undone afterwards: a
/// worker that is started would inherit it, and its own sleeps are to be as its users have them.
class PunctualSleep {
 public:
  PunctualSleep() { prctl(PR_SET_TIMERSLACK, 1UL); }
  ~PunctualSleep() { prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(std::max(0, usual_))); }
  PunctualSleep(const PunctualSleep&) = delete;
  PunctualSleep& operator=(const PunctualSleep&) = delete;
  PunctualSleep(PunctualSleep&&) = delete;
  PunctualSleep& operator=(PunctualSleep&&) = delete;

 private:
  int usual_ =
      prctl(PR_GET_TIMERSLACK);  // nanoseconds; 0, and so -1 of a kernel that has none, is the default
};

}  // namespace

Interruption::Interruption() {
  interrupts = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::requested() {
  return interrupts > 0;
}

struct WorkerProcess::Pipes {
  asio::io_context context;
  bp::async_pipe to{context};
  bp::async_pipe from{context};
  bp::async_pipe errors{context};
  bp::child child;
  std::string received;  // beyond the last line
  std::string sending;   // must outlive the writing of it
  bool writing = false;
  std::string error_tail;
  std::array<char, 4096> error_chunk{};

  /// Keeps reading standard error while anything is waited for: a full pipe would stop the program.
  void read_errors() {
    errors.async_read_some(asio::buffer(error_chunk),
                           [this](const boost::system::error_code& error, std::size_t count) {
                             error_tail.append(error_chunk.data(), count);
                             if (error_tail.size() > kept_of_stderr)
                               error_tail.erase(0, error_tail.size() - kept_of_stderr);
                             if (!error) read_errors();
                           });
  }
};

WorkerProcess::WorkerProcess(const std::filesystem::path& program, const WorkerOptions& options)
    : program_(program.string()), pipes_(std::make_unique<Pipes>()) {
  bp::environment environment = boost::this_process::environment();
  // Not by [], which in Boost 1.74 reads past the end of names that are shorter.
  for (const auto& [name, value] : options.environment) environment.set(name, value);
  std::signal(SIGPIPE, SIG_IGN);  // writing to a program that has died is an error like others
  std::error_code error;
  try {
    // No other worker inherits these pipes: this one must see the end of its input when the driver goes.
    for (const auto* pipe : {&pipes_->to, &pipes_->from, &pipes_->errors}) {
      fcntl(pipe->native_source(), F_SETFD, FD_CLOEXEC);
      fcntl(pipe->native_sink(), F_SETFD, FD_CLOEXEC);
    }
    // A process group of its own keeps Ctrl-C in the terminal from reaching it before the driver has saved;
    // and it goes with the driver.
    pipes_->child = bp::child(
        bp::exe = program_, environment, bp::std_in<pipes_->to, bp::std_out> pipes_->from,
        bp::std_err > pipes_->errors, error, bp::extend::on_exec_setup = [](auto&) {
          setpgid(0, 0);
          prctl(PR_SET_PDEATHSIG, SIGKILL);
        });
  } catch (const std::exception& e) {
    lost_ = WorkerLost{.status = Status::failed,
                       .reason = fmt::format("{} cannot be started: {}", program_, e.what())};
    return;
  }
  if (error) {
    lost_ = WorkerLost{.status = Status::failed,
                       .reason = fmt::format("{} cannot be started: {}", program_, error.message())};
    return;
  }
  pipes_->read_errors();
}

WorkerProcess::~WorkerProcess() {
  if (!lost_) quit();
}

int WorkerProcess::pid() const {
  return pipes_->child.id();
}

std::optional<double> WorkerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec now{};
  if (lost_ || clock_getcpuclockid(pid(), &clock) != 0 || clock_gettime(clock, &now) != 0)
    return std::nullopt;
  return to_seconds(now);
}

bool WorkerProcess::wait_until_quiet() const {
  const PunctualSleep punctual;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  for (;;) {
    const auto before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    const auto after = cpu_seconds();
    // The main thread may still be on its way back to sleep; a spinning one uses all of the interval.
    if (!before || !after || *after - *before < 20e-6) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
}

std::variant<std::string, WorkerLost> WorkerProcess::exchange(const std::string& line,
                                                              std::chrono::duration<double> timeout,
                                                              const std::function<void()>& meanwhile) {
  if (lost_) return *lost_;
  Pipes& p = *pipes_;
  enum class Outcome { waiting, answered, closed, too_long };
  Outcome outcome = Outcome::waiting;
  p.context.restart();
  if (p.writing)
    return lose(Status::failed, "broke the protocol: answered a request before reading all of it");
  p.sending = line + "\n";
  p.writing = true;
  // Errors show on the other side: a program that no longer reads has closed its output too, or will not
  // answer in time.
  asio::async_write(p.to, asio::buffer(p.sending),
                    [&p](const boost::system::error_code&, std::size_t) { p.writing = false; });
  asio::async_read_until(p.from, asio::dynamic_buffer(p.received, longest_line), '\n',
                         [&](const boost::system::error_code& error, std::size_t) {
                           if (!error) {
                             outcome = Outcome::answered;
                           } else {
                             outcome = error == asio::error::not_found ? Outcome::too_long : Outcome::closed;
                           }
                         });
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout);
  auto next_look = std::chrono::steady_clock::now() + between_looks;
  while (outcome == Outcome::waiting && std::chrono::steady_clock::now() < deadline &&
         !Interruption::requested()) {
    // A signal ends the wait early; one that came just before it is seen a tenth of a second later.
    p.context.run_one_for(meanwhile ? between_looks : longest_wait);
    if (meanwhile && outcome == Outcome::waiting && std::chrono::steady_clock::now() >= next_look) {
      meanwhile();
      next_look = std::chrono::steady_clock::now() + between_looks;
    }
  }
  switch (outcome) {
    case Outcome::answered: {
      const auto end = p.received.find('\n');
      std::string answer = p.received.substr(0, end);
      p.received.erase(0, end + 1);
      return answer;
    }
    case Outcome::too_long:
      return lose(Status::failed,
                  fmt::format("broke the protocol: a line of more than {} MiB", longest_line >> 20U));
    case Outcome::closed:
      return lose(Status::failed, how_it_ended());
    case Outcome::waiting:
      break;
  }
  if (Interruption::requested()) return lose(Status::interrupted, "interrupted");
  return lose(Status::timed_out,
              fmt::format("no answer within {:g} s (measure.timeout_seconds)", timeout.count()));
}

std::string WorkerProcess::how_it_ended() {
  Pipes& p = *pipes_;
  std::error_code error;
  // Its output is closed; it usually ends within moments.
  for (int i = 0; i < 500 && p.child.running(error); ++i) {
    p.context.restart();
    p.context.run_for(std::chrono::milliseconds(1));  // the rest of standard error
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  p.context.restart();
  p.context.run_for(std::chrono::milliseconds(10));
  std::string how = "closed its output without ending";
  if (!p.child.running(error)) {
    const int status = p.child.native_exit_code();
    how = WIFSIGNALED(status)
              ? fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
              : fmt::format("ended with exit status {}", WEXITSTATUS(status));
  }
  // The last line that says anything: a loader's message, an exception's.
  std::string_view tail = p.error_tail;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.remove_suffix(1);
  const auto line = tail.substr(tail.rfind('\n') == std::string_view::npos ? 0 : tail.rfind('\n') + 1);
  return line.empty() ? how : fmt::format("{}: {}", how, line);
}

WorkerLost WorkerProcess::lose(Status status, const std::string& reason) {
  Pipes& p = *pipes_;
  if (p.child.valid()) {
    kill(-p.child.id(), SIGKILL);
    kill(p.child.id(), SIGKILL);
    std::error_code error;
    p.child.wait(error);
  }
  lost_ = WorkerLost{.status = status, .reason = reason};
  return *lost_;
}

std::optional<int> WorkerProcess::wait_for_end(std::chrono::duration<double> timeout) {
  Pipes& p = *pipes_;
  std::error_code error;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (p.child.running(error) && std::chrono::steady_clock::now() < deadline) {
    p.context.restart();
    p.context.run_for(std::chrono::milliseconds(1));  // what it says on standard error at the end
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (p.child.running(error)) {
    lose(Status::failed, fmt::format("did not end within {:g} s of being asked to", timeout.count()));
    return std::nullopt;
  }
  const int status = p.child.native_exit_code();
  kill(-p.child.id(), SIGKILL);  // children of its own that it left behind
  lost_ = WorkerLost{.status = Status::failed, .reason = "has ended"};
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::optional<int> WorkerProcess::end_input(std::chrono::duration<double> timeout) {
  if (lost_) return std::nullopt;
  pipes_->to.close();
  return wait_for_end(timeout);
}

std::optional<int> WorkerProcess::quit() {
  const std::chrono::seconds timeout(1);
  if (std::holds_alternative<WorkerLost>(exchange(to_line(Request{request::Quit{}}), timeout)))
    return std::nullopt;
  return wait_for_end(timeout);
}

std::unique_ptr<Worker> start_process(const std::filesystem::path& program, const WorkerOptions& options) {
  return std::make_unique<WorkerProcess>(program, options);
}

}  // namespace breakeven
