#include "session/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>
// Boost 1.86 made version 2 the default and moved version 1.
#if __has_include(<boost/process/v1/child.hpp>)
#define BOOST_PROCESS_VERSION 1
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/async_pipe.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/env.hpp>
#include <boost/process/v1/environment.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
#include <boost/process/v1/io.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
namespace bp = boost::process;
#endif
#include "host/library_variables.h"
#include "host/steady_clock.h"
#include "host/threads.h"
#include "protocol/foreign_text.h"
#include "session/launcher.h"
#include "session/received_lines.h"
#include "session/running_time.h"
#include "session/waiting.h"
#include "session/worker_keeper.h"

namespace breakeven {
namespace {

namespace asio = boost::asio;

/// The part of standard error that is kept: its end shows why a program died.
constexpr std::size_t kept_of_stderr = 4096, longest_last_line = 1000;

/// How long a killed program, and everything that it started, may take to end.
constexpr std::chrono::seconds longest_end{10};

/// How long after the first signal another one is the same wish.
constexpr std::chrono::milliseconds one_wish{500};

// Read in several threads, and written by a signal handler.
std::atomic<bool> interrupted = false;
std::atomic<Clock::rep> first_asked = 0;  // when the process was first asked to end; 0: it was not
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Clock::rep>::is_always_lock_free);

/// Redirects output from a terminal that has gone. Writing to it would fail and end a run before its results
/// are saved.
void leave_lost_terminal() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    termios settings{};
    if (tcgetattr(descriptor, &settings) == 0 || errno != EIO) continue;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) continue;
    dup2(nowhere, descriptor);
    close(nowhere);
  }
}

void on_signal(int signal) {
  const int error = errno;
  interrupted = true;
  if (signal == SIGHUP) {  // both the terminal and its shell may send one
    leave_lost_terminal();
  } else {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep first = 0;
    if (!first_asked.compare_exchange_strong(first, now) && Clock::duration(now - first) >= one_wish) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }
  errno = error;
}

/// Describes a status of waitpid(). An illegal instruction may be that of kernels which the user selected.
std::string describe_end(int status, const std::vector<std::string>& selected_kernels) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  std::string how = fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  if (signal == SIGILL) {
    for (const std::string& setting : selected_kernels)
      how += fmt::format("; {} is set, and may select kernels that this processor cannot execute", setting);
  }
  return how;
}

/// The last line that says something, as a loader's message or an exception's does: it is neither part of a
/// list, which is indented, nor the heading of one. Else the last line.
std::string_view telling_line(std::string_view lines) {
  std::string_view last;
  while (!lines.empty()) {
    const auto begin = lines.rfind('\n') == std::string_view::npos ? 0 : lines.rfind('\n') + 1;
    const std::string_view line = lines.substr(begin);
    lines.remove_suffix(std::min(lines.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (last.empty()) last = line;
    if (line.front() != ' ' && line.front() != '\t' && !line.ends_with(':')) return line;
  }
  return last;
}

std::string killed_for_memory_text(std::optional<double> limit) {
  return fmt::format(
      "was killed by the kernel for want of memory ({})",
      limit ? fmt::format("the cgroup's limit is {:.3g} MiB", *limit / 0x1p20) : "the machine has no more");
}

/// The CPU time of a process; empty if it has ended.
std::optional<double> cpu_time_of(int pid) {
  clockid_t clock{};
  timespec now{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &now) != 0) return std::nullopt;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Makes this thread's sleeps end on time instead of up to 50 microseconds later, during its lifetime. It is
/// undone afterwards, because a worker inherits the setting, and its sleeps must be as its users have them.
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
      prctl(PR_GET_TIMERSLACK);  // nanoseconds; 0, and so -1 from a kernel without it, restores the default
};

/// The environment of a program: the driver's own, without what is withheld (host/library_variables.h), and
/// with the options' variables.
bp::environment environment_of(const WorkerOptions& options) {
  bp::environment environment = boost::this_process::environment();
  // Programs of earlier versions would do extra work themselves.
  const auto stays_here = [](const std::string& name) {
    return name == extra_work_variable || is_withheld(name);
  };
  std::vector<std::string> withheld;
  for (const auto& entry : environment) {
    if (stays_here(entry.get_name())) withheld.push_back(entry.get_name());
  }
  for (const std::string& name : withheld) environment.erase(name);
  // Uses neither [] nor find(), which in Boost 1.74 read past the end of names that are shorter.
  for (const auto& [name, value] : options.environment) {
    if (name != extra_work_variable) environment.set(name, value);
  }
  return environment;
}

/// The variables in this environment that select kernels, as NAME=VALUE.
std::vector<std::string> kernels_selected_in(const bp::environment& environment) {
  std::vector<std::string> settings;
  for (const auto& entry : environment) {
    if (std::ranges::find(library_variables(), entry.get_name(), &LibraryVariables::kernels) !=
        library_variables().end())
      settings.push_back(fmt::format("{}={}", entry.get_name(), entry.to_string()));
  }
  return settings;
}

}  // namespace

Interruption::Interruption() {
  interrupted = false;
  first_asked = 0;
  struct sigaction action {
  }, hangup{};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // it is ignored under nohup
}

bool Interruption::requested() {
  return interrupted;
}

struct WorkerProcess::Pipes {
  asio::io_context context;
  bp::async_pipe to{context};
  bp::async_pipe from{context};
  bp::async_pipe errors{context};
  bp::child keeper;
  ReceivedLines received;
  std::vector<char> chunk = std::vector<char>(std::size_t{64} << 10U);  // the capacity of a pipe
  bool closed = false;                                                  // standard output, by the program
  std::string sending;                                                  // must outlive the asynchronous write
  bool writing = false;
  std::string error_tail;
  std::array<char, 4096> error_chunk{};

  /// Reads standard error while the driver waits for anything, because a full pipe would block the program.
  void read_errors() {
    errors.async_read_some(asio::buffer(error_chunk),
                           [this](const boost::system::error_code& error, std::size_t count) {
                             error_tail.append(error_chunk.data(), count);
                             if (error_tail.size() > kept_of_stderr)
                               error_tail.erase(0, error_tail.size() - kept_of_stderr);
                             if (!error) read_errors();
                           });
  }

  /// Reads until there is a whole line, or more than `longest` bytes of one, or the end.
  void read_line(std::size_t longest) {
    from.async_read_some(asio::buffer(chunk),
                         [this, longest](const boost::system::error_code& error, std::size_t count) {
                           received.append({chunk.data(), count});
                           closed = closed || error;
                           if (!closed && !received.has_line() && received.line_size() <= longest)
                             read_line(longest);
                         });
  }

  void write(const std::string& line) {
    sending = line + "\n";
    writing = true;
    // Write errors show on the reading side: a program that no longer reads has closed its output too, or
    // does not answer in time.
    asio::async_write(to, asio::buffer(sending),
                      [this](const boost::system::error_code&, std::size_t) { writing = false; });
  }

  /// Output that the program has sent without a request.
  std::string unasked() {
    pollfd readable{.fd = from.native_source(), .events = POLLIN, .revents = 0};
    if (received.empty() && !closed && poll(&readable, 1, 0) == 1 && (readable.revents & POLLIN) != 0) {
      const ssize_t count = ::read(readable.fd, chunk.data(), chunk.size());
      if (count > 0) received.append({chunk.data(), static_cast<std::size_t>(count)});
    }
    const std::string& rest = received.rest();
    return rest.substr(0, rest.find('\n') == 0 ? 1 : rest.find('\n'));
  }
};

WorkerProcess::WorkerProcess(const std::filesystem::path& program, const WorkerOptions& options)
    : program_(program.string()),
      time_to_quit_(options.time_to_quit),
      is_launched_(!options.launcher.empty()),
      time_limit_(options.time_limit) {
  bp::environment environment = environment_of(options);
  selected_kernels_ = kernels_selected_in(environment);
  std::signal(SIGPIPE, SIG_IGN);  // writing to a program that has died becomes an ordinary error
  std::error_code error;
  std::string why;
  try {
    pipes_ = std::make_unique<Pipes>();
    // No other worker inherits these pipes, because this one must see the end of its input when the driver
    // ends.
    for (const auto* pipe : {&pipes_->to, &pipes_->from, &pipes_->errors}) {
      fcntl(pipe->native_source(), F_SETFD, FD_CLOEXEC);
      fcntl(pipe->native_sink(), F_SETFD, FD_CLOEXEC);
    }
    std::vector<std::string> words = options.launcher;
    words.push_back(program_);
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    if (is_launched_) words.insert(words.begin(), "/usr/bin/env");  // finds it in PATH
    WorkerKeeper keeper(is_launched_);
    const auto start = [&](auto&&... streams) {
      pipes_->keeper = bp::child(
          bp::exe = words.front(), bp::args = std::vector(words.begin() + 1, words.end()), environment,
          streams..., error, bp::extend::on_exec_setup = [&](auto&) { keeper.start(); });
    };
    if (is_launched_)
      start(bp::std_in<bp::null, (bp::std_out & bp::std_err)> pipes_->errors);
    else
      start(bp::std_in<pipes_->to, bp::std_out> pipes_->from, bp::std_err > pipes_->errors);
    pid_ = keeper.program();
  } catch (const std::exception& e) {
    why = e.what();
  }
  // Boost.Process 1.74 does not set the error if it cannot make a pipe of its own.
  if (why.empty() && error) why = error.message();
  if (error == std::errc::permission_denied) why += "; make it executable (chmod +x)";
  if (why.empty() && pid_ < 0) why = "too many open files or processes; raise ulimit -n or ulimit -u";
  if (why.empty()) {
    pipes_->read_errors();
    return;
  }
  lost_ =
      WorkerLost{.status = Status::failed, .reason = fmt::format("{} cannot be started: {}", program_, why)};
}

WorkerProcess::~WorkerProcess() {
  if (lost_) return;
  if (is_launched_)
    lose(Status::failed, "is not needed any more");
  else
    quit(time_to_quit_);
}

std::optional<double> WorkerProcess::cpu_seconds() const {
  if (lost_) return std::nullopt;
  std::optional<double> sum = cpu_time_of(pid());
  for (const int process : counted_) {
    if (sum) *sum += cpu_time_of(process).value_or(0);
  }
  return sum;
}

bool WorkerProcess::runs() const {
  return !lost_ && (has_running_thread(pid()) || std::ranges::any_of(counted_, has_running_thread));
}

bool WorkerProcess::wait_until_quiet() const {
  constexpr std::chrono::microseconds interval{20};
  constexpr double computing_share = 0.2;  // of the wait; a thread that waits for a CPU uses almost none
  const PunctualSleep punctual;
  RunningTime waited(RunningTime::Clock::now());
  const std::optional<double> used_before = cpu_seconds();
  while (runs()) {
    std::this_thread::sleep_for(interval);
    waited.add(RunningTime::Clock::now(), interval);
    if (waited.counted() <= longest_busy) continue;
    const std::optional<double> used_now = cpu_seconds();
    if (!used_before || !used_now) return false;
    return std::chrono::duration<double>(*used_now - *used_before) <
           computing_share * std::chrono::duration<double>(longest_busy);
  }
  return true;
}

std::variant<std::string, WorkerLost> WorkerProcess::exchange(const std::string& line,
                                                              std::chrono::duration<double> timeout,
                                                              const std::function<void()>& meanwhile) {
  if (lost_) return *lost_;
  Pipes& p = *pipes_;
  if (auto lost = lose_if_unasked()) return *std::move(lost);
  if (p.writing)
    return lose(Status::failed, "broke the protocol: answered a request before reading all of it");
  const std::size_t longest = longest_answer(line);
  p.write(line);
  p.read_line(longest);
  wait(p.context,
       {.is_over = [&] { return p.closed || p.received.has_line() || p.received.line_size() > longest; },
        .timeout = timeout,
        .meanwhile = meanwhile,
        .most_pieces = 2 + 2 * longest / p.chunk.size()});
  if (p.received.line_size() > longest) {
    return lose(Status::failed, fmt::format("broke the protocol: sent a line of more than {:.3g} MiB",
                                            static_cast<double>(longest) / 0x1p20));
  }
  if (auto answer = p.received.take_line()) {
    // If there are several lines, it is unclear which is the answer.
    if (auto lost = lose_if_unasked(*answer)) return *std::move(lost);
    return *std::move(answer);
  }
  if (p.closed) return lose_as_it_ended();
  if (Interruption::requested()) return lose(Status::interrupted, "interrupted");
  return lose_as_late(timeout);
}

WorkerLost WorkerProcess::lose_as_late(std::chrono::duration<double> timeout, const std::string& part) {
  return lose(Status::timed_out,
              fmt::format("no answer{} within {:g} s{}", part.empty() ? "" : " of " + part, timeout.count(),
                          time_limit_.empty() ? "" : fmt::format(" ({})", time_limit_)));
}

std::optional<WorkerLost> WorkerProcess::lose_if_unasked(std::string_view answer) {
  const std::string unasked = pipes_->unasked();
  if (unasked.empty()) return std::nullopt;
  const bool is_answer = answer.empty() || answer.starts_with('{');  // otherwise a library printed it
  return lose(Status::failed, fmt::format("broke the protocol: sent a line that nobody asked for: {}",
                                          quote_line(is_answer ? unasked : answer)));
}

bool WorkerProcess::is_killed_for_memory(int status) const {
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) return false;
  return memory_kills().value_or(0) > kills_before_.value_or(0);
}

WorkerLost WorkerProcess::lose_as_it_ended() {
  const std::string how = how_it_ended();
  std::error_code error;
  const bool for_memory =
      !pipes_->keeper.running(error) && is_killed_for_memory(pipes_->keeper.native_exit_code());
  return lose(for_memory ? Status::out_of_memory : Status::failed, how);
}

std::string WorkerProcess::how_it_ended() {
  Pipes& p = *pipes_;
  std::string how = "closed its output without ending";
  // A program usually ends within moments.
  if (has_ended_within(std::chrono::seconds(1))) {
    const int status = p.keeper.native_exit_code();
    how = is_killed_for_memory(status) ? killed_for_memory_text(memory_limit())
                                       : describe_end(status, selected_kernels_);
  }
  p.context.restart();
  p.context.run_for(std::chrono::milliseconds(10));  // the rest of standard error
  const std::string reason = is_launched_ ? reason_given() : "";
  const std::string_view line = reason.empty() ? telling_line(p.error_tail) : reason;
  return line.empty() ? how : fmt::format("{}: {}", how, shorten_text(line, longest_last_line));
}

std::string WorkerProcess::reason_given() {
  Pipes& p = *pipes_;
  has_ended_within(std::chrono::seconds(1));
  // A message of mpirun may come moments after the end of what it started.
  p.context.restart();
  p.context.run_for(std::chrono::milliseconds(100));
  return reason_of_ranks(p.error_tail);
}

std::optional<int> WorkerProcess::exit_status() {
  if (lost_ || !has_ended_within(std::chrono::seconds(0))) return std::nullopt;
  const int status = pipes_->keeper.native_exit_code();
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

void WorkerProcess::take_in_output() {
  if (!lost_) run_ready(pipes_->context);
}

WorkerLost WorkerProcess::lose(Status status, const std::string& reason) {
  Pipes& p = *pipes_;
  std::error_code error;
  // After the end of a process, its id may belong to another one.
  if (p.keeper.running(error)) {
    kill(p.keeper.id(), SIGTERM);
    if (!has_ended_within(longest_end)) kill(p.keeper.id(), SIGKILL);
    p.keeper.wait(error);
  }
  lost_ = WorkerLost{.status = status, .reason = reason};
  return *lost_;
}

bool WorkerProcess::has_ended_within(std::chrono::duration<double> timeout) {
  constexpr std::chrono::milliseconds slice{2};
  Pipes& p = *pipes_;
  std::error_code error;
  RunningTime waited(RunningTime::Clock::now());
  while (p.keeper.running(error)) {
    if (waited.counted() >= timeout) return false;
    p.context.restart();
    p.context.run_for(slice / 2);  // its last output on standard error
    std::this_thread::sleep_for(slice / 2);
    waited.add(RunningTime::Clock::now(), slice);
  }
  return true;
}

std::optional<int> WorkerProcess::wait_for_end(std::chrono::duration<double> timeout) {
  if (!has_ended_within(timeout)) {
    lose(Status::failed, fmt::format("did not end within {:g} s of being asked to", timeout.count()));
    return std::nullopt;
  }
  const int status = pipes_->keeper.native_exit_code();
  lost_ = WorkerLost{.status = Status::failed, .reason = describe_end(status, selected_kernels_)};
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::optional<int> WorkerProcess::end_input(std::chrono::duration<double> timeout) {
  if (lost_) return std::nullopt;
  pipes_->to.close();
  return wait_for_end(timeout);
}

std::optional<int> WorkerProcess::quit(std::chrono::seconds timeout) {
  if (std::holds_alternative<WorkerLost>(exchange(to_line(Request{request::Quit{}}), timeout)))
    return std::nullopt;
  return wait_for_end(timeout);
}

}  // namespace breakeven
