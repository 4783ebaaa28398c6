// The interface to one backend program. WorkerProcess implements it for a real one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages.h"
#include "results/result.h"
#include "workloads/interface.h"

namespace breakeven {

/// The worker can no longer be used: it died, hung or broke the protocol, or the user interrupted. It has
/// been killed.
struct WorkerLost {
  Status status = Status::failed;  // failed, timed_out, interrupted, out_of_memory or unsupported
  std::string reason;
  bool in_every_case = false;  // another program would be lost for the same reason
};

template <typename T>
using Asked = std::variant<T, answer::Refusal, WorkerLost>;

struct WorkerOptions {
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to the driver's own
  std::chrono::seconds time_to_quit{1};                               // after which it is killed
  int ranks = 1;
  std::vector<std::string> launcher =
      {};  // the command that starts the ranks, before the program; empty: none
  std::vector<std::string> arguments = {};  // of the program
  std::string time_limit = {};              // what limits the time for an answer, for messages
};

/// The options with these variables added.
inline WorkerOptions with_variables(WorkerOptions options,
                                    const std::vector<std::pair<std::string, std::string>>& variables) {
  options.environment.insert(options.environment.end(), variables.begin(), variables.end());
  return options;
}

/// How long the threads of a program may take to fall asleep after an answer.
inline constexpr std::chrono::milliseconds longest_busy{50};

/// How long a program may take to quit. Destroying a GPU's context takes time, above all under
/// compute-sanitizer.
inline std::chrono::seconds time_to_quit(const std::string& device) {
  return std::chrono::seconds(device == "cpu" ? 1 : 10);
}

class Worker : public Interface {
 public:
  /// Sends one line and waits at most `timeout` for the answer. After WorkerLost every further call returns
  /// the same. `meanwhile` is called every few milliseconds of the wait.
  virtual std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                         std::chrono::duration<double> timeout,
                                                         const std::function<void()>& meanwhile = {}) = 0;

  /// Kills the worker. Every further request is answered with the value returned here.
  virtual WorkerLost lose(Status status, const std::string& reason) = 0;

  /// Waits until the worker uses no CPU, so that its threads do not disturb another worker's sample. Returns
  /// false if it is still busy after `longest_busy`. A worker that only waits for a CPU is not busy.
  virtual bool wait_until_quiet() const = 0;

  /// CPU time used so far by all threads of the program itself; empty if the kernel does not report it.
  virtual std::optional<double> cpu_seconds() const = 0;
  virtual int pid() const = 0;
  /// The processes that compute, if the program has started others for that: their time counts as its own.
  virtual void count_processes(const std::vector<int>& /*pids*/) {}
  /// Remarks on the samples of the prepared case so far, besides their own warnings.
  virtual std::vector<Note> notes() const { return {}; }

  /// Sends a request and waits for its answer, as exchange() does.
  template <typename T>
  Asked<T> ask(const Request& request, std::chrono::duration<double> timeout,
               const std::function<void()>& meanwhile = {}) {
    return understand<T>(exchange(to_line(request), timeout, meanwhile));
  }
  /// The answer in what exchange() returned.
  template <typename T>
  Asked<T> understand(std::variant<std::string, WorkerLost> line) {
    if (auto* lost = std::get_if<WorkerLost>(&line)) return std::move(*lost);
    try {
      auto answer = parse_answer<T>(std::get<std::string>(line));
      if (auto* refusal = std::get_if<answer::Refusal>(&answer)) return std::move(*refusal);
      return std::move(std::get<T>(answer));
    } catch (const ProtocolError& e) {
      return lose(Status::failed, std::string("broke the protocol: ") + e.what());
    }
  }
};

/// Starts a backend program. If it cannot be started, the first answer is the error.
using StartWorker =
    std::function<std::unique_ptr<Worker>(const std::filesystem::path& program, const WorkerOptions&)>;

}  // namespace breakeven
