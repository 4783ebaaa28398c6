// The running backend programs of a session.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plan/config.h"
#include "results/result.h"
#include "session/placement.h"
#include "session/worker.h"

namespace breakeven {

/// A backend program that takes part, and how it is started.
struct Participant {
  std::string key;  // of its worker; unique in a session
  BackendRecord backend;
  WorkerOptions options;
  int threads = 1;
};

/// Why there is no answer.
struct NoAnswer {
  Status status = Status::failed;
  std::string reason;
};

/// CPUs to hold `threads` threads on, of as many cores as there are; none if there are too few for one each.
std::vector<int> cpus_for(int threads);

template <typename T>
using Answered = std::variant<T, NoAnswer>;

class WorkerPool {
 public:
  /// `measure` must outlive it.
  WorkerPool(const Measure& measure, StartWorker start_worker)
      : measure_(measure), start_worker_(std::move(start_worker)) {}

  /// Ends the programs of all participants but `kept`.
  void stop_all_but(const std::string& kept);
  void stop();
  /// Ends the participant's program, to be started afresh.
  void stop_one(const Participant& participant) { running_.erase(participant.key); }

  /// Starts the participant's program unless it runs. Empty, or why it cannot be started. A program that was
  /// started is held on the CPUs that `near_cpus` returns, any of them; everywhere where it returns none.
  std::optional<NoAnswer> start(const Participant& participant,
                                const std::function<std::vector<int>()>& near_cpus = {});

  /// Sends a request to a program that was started. One that is lost is forgotten: start() starts it afresh.
  template <typename T>
  Answered<T> ask(const Participant& participant, const Request& request, std::optional<double> timeout = {},
                  const std::function<void()>& meanwhile = {});

  /// Nobody samples while another's threads still spin. False if they are busy after 50 ms.
  bool wait_until_idle(const Participant& participant);

  /// Lets the participant's threads run on any CPU: threads that it starts from now on are to inherit that.
  void release_threads(const Participant& participant);
  /// Before a sample that is to show which threads compute.
  void watch_threads(const Participant& participant);
  /// After it, when the program is idle: holds each of them on a CPU of its own.
  void place_threads(const Participant& participant, double sample_seconds);
  /// The CPUs that its threads are held on, rising; empty if the kernel decides.
  std::vector<int> cpus_held(const Participant& participant) const;

  /// CPU time used so far by the driver and all programs, in seconds.
  double cpu_seconds() const;
  /// True for a process that a program of this pool has started, or that is one: each has a process group of
  /// its own.
  bool owns_process(std::int64_t pid) const;

 private:
  struct Running {
    std::unique_ptr<Worker> worker;
    std::unique_ptr<Placement> placement;  // null: the kernel decides
    std::vector<int> confined_to;          // empty: it may run everywhere
  };
  Running* find(const Participant& participant);
  const Running* find(const Participant& participant) const;

  const Measure& measure_;
  StartWorker start_worker_;
  std::map<std::string, Running> running_;  // by participant's key
};

// ---- below: how it is done

template <typename T>
Answered<T> WorkerPool::ask(const Participant& participant, const Request& request,
                            std::optional<double> timeout, const std::function<void()>& meanwhile) {
  Running* running = find(participant);
  if (running == nullptr) return NoAnswer{.status = Status::failed, .reason = "the worker is gone"};
  auto asked = running->worker->template ask<T>(
      request, std::chrono::duration<double>(timeout.value_or(measure_.timeout_seconds)), meanwhile);
  if (auto* answer = std::get_if<T>(&asked)) return std::move(*answer);
  if (auto* refusal = std::get_if<answer::Refusal>(&asked)) {
    return NoAnswer{.status = parse_name<Status>(refusal->status).value_or(Status::failed),
                    .reason = std::move(refusal->reason)};
  }
  auto& lost = std::get<WorkerLost>(asked);
  NoAnswer none{.status = lost.status, .reason = std::move(lost.reason)};
  running_.erase(participant.key);
  return none;
}

}  // namespace breakeven
