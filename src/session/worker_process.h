// One running backend program, and the conversation with it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "session/worker.h"

namespace breakeven {

/// Ctrl-C and SIGTERM end what is under way instead of the process; a second one ends it at once.
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
};

class WorkerProcess : public Worker {
 public:
  /// Starts `program`. That it cannot be started shows in the first answer.
  explicit WorkerProcess(const std::filesystem::path& program, const WorkerOptions& options = {});
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess(WorkerProcess&&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

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

  /// Asks it to quit, and kills it if it does not within a second. Returns its exit status; nothing if it was
  /// killed.
  std::optional<int> quit();

 private:
  struct Pipes;
  std::optional<int> wait_for_end(std::chrono::duration<double> timeout);
  std::string how_it_ended();

  std::string program_;
  std::unique_ptr<Pipes> pipes_;
  std::optional<WorkerLost> lost_;
};

/// The StartWorker of real programs.
std::unique_ptr<Worker> start_process(const std::filesystem::path& program, const WorkerOptions& options);

}  // namespace breakeven
