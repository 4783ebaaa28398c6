// The running backend programs of a session.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  int threads = 1;                      // of one host; ranks there share them
  std::vector<int> fewer_threads = {};  // numbers that a case may take instead of `threads`
  int ranks = 1;
  double extra_work = 0;  // so many more iterations are run, as a share of those that count

  /// All threads, or the i-th of fewer, counted from 1.
  int threads_of(std::size_t i) const { return i == 0 ? threads : fewer_threads.at(i - 1); }
};

/// The share that extra_work_variable asks for, of programs with these options; 0 if it is not set. Throws
/// std::runtime_error unless it is a number from 0.001 to 10.
double extra_work_of(const WorkerOptions& options);

/// Why there is no answer.
struct NoAnswer {
  Status status = Status::failed;
  std::string reason;
};

template <typename T>
using Answered = std::variant<T, NoAnswer>;

class WorkerPool {
 public:
  /// `measure` must outlive the pool.
  WorkerPool(const Measure& measure, StartWorker start_worker)
      : measure_(measure), start_worker_(std::move(start_worker)) {}

  /// Begins a launch: ends the programs of all participants except `kept`.
  void stop_all_but(const std::string& kept) {
    ++launch_;
    started_.clear();
    std::erase_if(running_, [&](const auto& one) { return one.first != kept; });
  }
  void stop() { running_.clear(); }
  /// Ends the participant's program. The next start() starts it again.
  void stop_one(const Participant& participant) { running_.erase(participant.key); }

  /// Starts the participant's program unless it runs, or has ended for a reason that every case would meet.
  /// Returns why it cannot be started, or that another program than before answered; empty if it runs. A
  /// newly started program may run only on the CPUs that `near_cpus` returns, or on all CPUs if it returns
  /// none.
  std::optional<NoAnswer> start(const Participant& participant,
                                const std::function<std::vector<int>()>& near_cpus = {});
  /// Starts the programs that are scripts in parallel, because each imports a framework for seconds, and
  /// waits for their hello. start() completes the start of each.
  void start_scripts(const std::vector<const Participant*>& participants);

  /// Sends a request to a program that was started. A lost program is removed; start() starts it again.
  template <typename T>
  Answered<T> ask(const Participant& participant, const Request& request, std::optional<double> timeout = {},
                  const std::function<void()>& meanwhile = {}) {
    const Running* running = find(participant);
    if (running == nullptr) return NoAnswer{.status = Status::failed, .reason = "the worker is gone"};
    auto asked = running->worker->template ask<T>(
        request, std::chrono::duration<double>(timeout.value_or(measure_.timeout_seconds)), meanwhile);
    return to_answer(participant, std::move(asked));
  }

  /// Waits until the participant's threads sleep, so that they do not disturb another's sample. Returns false
  /// if they are busy after `longest_busy`.
  bool wait_until_idle(const Participant& participant);

  /// Lets the participant's threads run on any CPU, so that threads that it starts from now on inherit that.
  void release_threads(const Participant& participant);
  /// Call it before a sample that shows which threads compute.
  void watch_threads(const Participant& participant);
  /// Call it after that sample, when the program is idle: pins each of these threads to its own CPU.
  void place_threads(const Participant& participant, double sample_seconds);
  /// The CPUs that the participant's threads are pinned to, in rising order; empty if the kernel decides.
  std::vector<int> cpus_held(const Participant& participant) const;
  /// True if the kernel did not let the participant's threads be pinned.
  bool is_placement_refused(const Participant& participant) const;
  /// The places of the participant's ranks; empty if it has only one.
  std::vector<RankPlace> ranks_of(const Participant& participant) const;

  /// True if the participant's program takes a number of threads with every case.
  bool takes_threads(const Participant& participant) const {
    const Running* running = find(participant);
    return running != nullptr && running->takes_threads;
  }

  /// Remarks on the samples of the participant's prepared case, besides their own warnings.
  std::vector<Note> notes(const Participant& participant) const {
    const Running* running = find(participant);
    return running == nullptr ? std::vector<Note>() : running->worker->notes();
  }

  /// CPU time used so far by the participant's program, in seconds; 0 if it does not run.
  double cpu_seconds(const Participant& participant) const {
    const Running* running = find(participant);
    return running == nullptr ? 0 : running->worker->cpu_seconds().value_or(0);
  }
  /// CPU time used so far by the driver and all programs, in seconds.
  double cpu_seconds() const;
  /// True if the process is a program of this pool or was started by one. Each program has its own process
  /// group.
  bool owns_process(std::int64_t pid) const;

 private:
  struct Running {
    std::unique_ptr<Worker> worker;
    std::optional<Asked<answer::Hello>> hello;  // until start() completes
    bool is_started = false;
    bool takes_threads = false;            // as it says
    std::unique_ptr<Placement> placement;  // null: the kernel decides
    std::vector<int> confined_to;          // empty: it may run everywhere
    bool is_refused = false;               // the kernel did not let it be confined
    std::vector<RankPlace> ranks;          // empty: a single process
    std::vector<int> ranks_here;           // process ids of those on this host
  };
  template <typename T>
  Answered<T> to_answer(const Participant& participant, Asked<T> asked) {
    if (auto* answer = std::get_if<T>(&asked)) return std::move(*answer);
    if (auto* refusal = std::get_if<answer::Refusal>(&asked)) {
      return NoAnswer{.status = parse_name<Status>(refusal->status).value_or(Status::failed),
                      .reason = std::move(refusal->reason)};
    }
    auto& lost = std::get<WorkerLost>(asked);
    if (lost.in_every_case) hopeless_.emplace(participant.key, lost.reason);
    running_.erase(participant.key);
    return NoAnswer{.status = lost.status, .reason = std::move(lost.reason)};
  }
  /// Throws std::runtime_error if several ranks cannot be launched.
  void launch(const Participant& participant, Running& running);
  /// Notes which processes are the ranks of a newly started program.
  static void note_ranks(const answer::Hello& hello, Running& running);
  Asked<answer::Hello> ask_hello(const Participant& participant, Running& running) const;
  /// Why a newly started program must not be measured: its hello breaks the protocol, or is not of the
  /// program that is known.
  std::optional<NoAnswer> check_identity(const Participant& participant, const answer::Hello& hello);
  const Running* find(const Participant& participant) const;
  Placement* placement_of(const Participant& participant) const;

  const Measure& measure_;
  StartWorker start_worker_;
  std::map<std::string, Running> running_;       // by participant's key
  std::map<std::string, std::string> hopeless_;  // why a participant is not started again, by its key
  std::map<std::string, BackendRecord> known_;   // who answered first, by the participant's key
  double cpu_seconds_before_ = 0;                // of programs that were started before the session
  int launch_ = 0;                               // counted from 1
  std::set<std::string> started_;                // the keys of participants that were started in this launch
};

}  // namespace breakeven
