// A conversation with one backend program. WorkerProcess holds it with a real one.
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

namespace breakeven {

/// The worker is of no more use: it died, hung, broke the protocol, or the user interrupted. It has been
/// killed.
struct WorkerLost {
  Status status = Status::failed;  // or timed_out, interrupted
  std::string reason;
};

template <typename T>
using Asked = std::variant<T, answer::Refusal, WorkerLost>;

struct WorkerOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // added to the driver's own
  std::chrono::seconds time_to_quit{1};                          // then it is killed
};

/// How long a program may take to quit. A GPU's context takes its time, above all under compute-sanitizer.
inline std::chrono::seconds time_to_quit(const std::string& device) {
  return std::chrono::seconds(device == "cpu" ? 1 : 10);
}

class Worker {
 public:
  Worker() = default;
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  /// Sends one line and waits for the answer, at most `timeout`. After WorkerLost every further call answers
  /// the same. `meanwhile` is called every few milliseconds of the wait.
  virtual std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                         std::chrono::duration<double> timeout,
                                                         const std::function<void()>& meanwhile = {}) = 0;

  /// Kills it. Every further request is answered by what this returns.
  virtual WorkerLost lose(Status status, const std::string& reason) = 0;

  /// Waits until it uses no CPU, so that its threads take nothing from another's sample. False if it is still
  /// busy after 50 ms.
  virtual bool wait_until_quiet() const = 0;

  /// CPU time used so far by all threads of the program itself; empty if the kernel does not tell.
  virtual std::optional<double> cpu_seconds() const = 0;
  virtual int pid() const = 0;

  /// Sends a request and waits for its answer, as exchange() does.
  template <typename T>
  Asked<T> ask(const Request& request, std::chrono::duration<double> timeout,
               const std::function<void()>& meanwhile = {});
};

/// Starts a backend program. That it cannot be started shows in its first answer.
using StartWorker =
    std::function<std::unique_ptr<Worker>(const std::filesystem::path& program, const WorkerOptions&)>;

// ---- below: how it is done

template <typename T>
Asked<T> Worker::ask(const Request& request, std::chrono::duration<double> timeout,
                     const std::function<void()>& meanwhile) {
  auto line = exchange(to_line(request), timeout, meanwhile);
  if (auto* lost = std::get_if<WorkerLost>(&line)) return std::move(*lost);
  try {
    auto answer = parse_answer<T>(std::get<std::string>(line));
    if (auto* refusal = std::get_if<answer::Refusal>(&answer)) return std::move(*refusal);
    return std::move(std::get<T>(answer));
  } catch (const ProtocolError& e) {
    return lose(Status::failed, std::string("broke the protocol: ") + e.what());
  }
}

}  // namespace breakeven
