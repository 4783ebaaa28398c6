// One running backend program, and the conversation with it.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "session/worker.h"

namespace breakeven {

/// Ctrl-C, SIGTERM and SIGHUP (the terminal or the connection has gone) end what is under way instead of the
/// process. A second Ctrl-C or SIGTERM ends it at once. SIGHUP stays ignored where it was, as under nohup.
/// One per process, alive before any worker is started.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  Interruption(Interruption&&) = delete;
  Interruption& operator=(Interruption&&) = delete;
  static bool requested();

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

/// All that the program starts ends with it, and it ends with the driver (worker_keeper.h).
class WorkerProcess : public Worker {
 public:
  /// Starts `program`. That it cannot be started shows in the first answer.
  explicit WorkerProcess(const std::filesystem::path& program, const WorkerOptions& options = {});
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess(WorkerProcess&&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// The limits of an answer's length are longest_answer()'s. A program that sends anything else than one
  /// line for each request has broken the protocol.
  std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                 std::chrono::duration<double> timeout,
                                                 const std::function<void()>& meanwhile = {}) override;
  WorkerLost lose(Status status, const std::string& reason) override;
  bool wait_until_quiet() const override;
  std::optional<double> cpu_seconds() const override;
  int pid() const override;

  /// Closes its input and waits for it to end by itself. Returns its exit status; nothing if it was killed or
  /// had to be.
  std::optional<int> end_input(std::chrono::duration<double> timeout);

  /// Asks it to quit, and kills it if it does not in time. Returns its exit status; nothing if it was killed.
  std::optional<int> quit(std::chrono::seconds timeout);

 private:
  struct Pipes;
  /// Returns when the answer is there, or cannot come any more, or is not to be waited for.
  void wait_for_answer(std::chrono::duration<double> timeout, std::size_t longest,
                       const std::function<void()>& meanwhile);
  /// Kills it if it has sent anything but what it owes: at most `answer`, which has been taken.
  std::optional<WorkerLost> lose_if_unasked(std::string_view answer = {});
  bool has_ended_within(std::chrono::duration<double> timeout);
  std::optional<int> wait_for_end(std::chrono::duration<double> timeout);
  std::string how_it_ended();

  std::string program_;
  std::chrono::seconds time_to_quit_;
  int pid_ = -1;
  std::unique_ptr<Pipes> pipes_;
  std::optional<WorkerLost> lost_;
};

/// The StartWorker of real programs.
std::unique_ptr<Worker> start_process(const std::filesystem::path& program, const WorkerOptions& options);

}  // namespace breakeven
