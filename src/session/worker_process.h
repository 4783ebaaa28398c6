// One running backend program, and the communication with it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/cpu.h"
#include "session/worker.h"

namespace breakeven {

/// Makes Ctrl-C, SIGTERM and SIGHUP (the terminal or the connection has gone) end the current work instead of
/// the process, until the process ends: none undoes what is being saved. Another Ctrl-C or SIGTERM within
/// half a second is the same wish, because schedulers and shells send two; a later one ends the process at
/// once. SIGHUP stays ignored if it was, as under nohup. Construct it before a file is locked and a worker
/// started.
class Interruption {
 public:
  Interruption();
  static bool requested();
};

/// Thrown if the work was interrupted before anything was measured.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted before anything was measured") {}
};

/// A running program. Everything that it starts ends with it, and it ends with the driver (worker_keeper.h).
class WorkerProcess : public Worker {
 public:
  /// Starts `program`. If it cannot be started, the first answer is the error.
  explicit WorkerProcess(const std::filesystem::path& program, const WorkerOptions& options = {});
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess(WorkerProcess&&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// Limits the length of an answer as longest_answer() says. A program that sends anything other than one
  /// line for each request has broken the protocol.
  std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                 std::chrono::duration<double> timeout,
                                                 const std::function<void()>& meanwhile = {}) override;
  WorkerLost lose(Status status, const std::string& reason) override;
  bool wait_until_quiet() const override;
  std::optional<double> cpu_seconds() const override;
  int pid() const override { return pid_; }
  /// Why there are no more answers; empty if the program runs.
  const std::optional<WorkerLost>& lost() const { return lost_; }
  /// True if the program has ended by itself.
  bool has_ended() { return lost_ || has_ended_within(std::chrono::seconds(0)); }
  /// Loses a program that has not answered in time. `part`: which part of it, if that is known.
  WorkerLost lose_as_late(std::chrono::duration<double> timeout, const std::string& part = "");
  /// Takes over the time limits of `options`.
  void set_time_limits(const WorkerOptions& options) {
    time_to_quit_ = options.time_to_quit;
    time_limit_ = options.time_limit;
  }
  void count_processes(const std::vector<int>& pids) override { counted_ = pids; }

  /// Closes the program's input and waits for it to end by itself. Returns its exit status; empty if it was
  /// killed or had to be.
  std::optional<int> end_input(std::chrono::duration<double> timeout);

  /// Asks the program to quit, and kills it if it does not quit in time. Returns its exit status; empty if it
  /// was killed.
  std::optional<int> quit(std::chrono::seconds timeout);

  // For a launcher, which is asked nothing, and whose standard output is as its standard error:

  /// Takes what it has written by now, so that it never waits for a reader.
  void take_in_output();
  /// How it ended, with what it said last; or that it has not ended within a second.
  std::string how_it_ended();
  /// Waits for its end for a second, and returns the reason that it gave (reason_of_ranks()).
  std::string reason_given();
  /// The exit status with which it ended; empty if it has not, or was killed.
  std::optional<int> exit_status();
  /// Waits for its end, and kills it if it does not end in time. Returns its exit status; empty if it was
  /// killed.
  std::optional<int> wait_for_end(std::chrono::duration<double> timeout);

 private:
  struct Pipes;
  /// True if a thread of the program, or of its ranks on this host, runs.
  bool runs() const;
  /// Kills the program if it has sent more than one answer. `answer` is the one that was taken.
  std::optional<WorkerLost> lose_if_unasked(std::string_view answer = {});
  bool has_ended_within(std::chrono::duration<double> timeout);
  /// Loses the program, which has ended by itself, with the reason for that.
  WorkerLost lose_as_it_ended();
  /// True if the kernel killed the program for want of memory; `status` is that of waitpid().
  bool is_killed_for_memory(int status) const;

  std::string program_;
  std::chrono::seconds time_to_quit_;
  bool is_launched_ = false;
  std::string time_limit_;  // what limits the time for an answer; empty: nothing is said about it
  int pid_ = -1;
  std::vector<int> counted_;  // besides pid_
  std::unique_ptr<Pipes> pipes_;
  std::optional<double> kills_before_ = memory_kills();
  std::vector<std::string> selected_kernels_;  // variables that are set for it, as NAME=VALUE
  std::optional<WorkerLost> lost_;
};

}  // namespace breakeven
