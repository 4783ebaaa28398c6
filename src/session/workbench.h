// What is done with one backend and one problem, whoever decides how often and in which order: start its
// worker, prepare, verify, calibrate, sample.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "results/result.h"
#include "session/gpu.h"
#include "session/placement.h"
#include "session/schedule.h"
#include "session/worker_process.h"

namespace breakeven {

/// A backend program that takes part, and how it is started.
struct Participant {
  std::string key;  // of its worker; unique in a session
  BackendRecord backend;
  WorkerOptions options;
  int threads = 1;
};

/// One participant's part in one problem, over all launches.
struct Arm {
  const Participant* participant = nullptr;
  CaseResult* row = nullptr;  // what is known of it so far
  bool over = false;          // its status is final and it is measured no further

  std::vector<std::vector<double>> launches;
  std::vector<answer::Sample> answers;  // of all samples, in order, without losses
  std::int64_t iterations = 1;          // of a sample
  double spent = 0;                     // seconds of sampling in this launch
  Progress end = Progress::more;
  bool busy_when_idle = false;

  std::optional<GpuWatch> watch;  // of a backend that says which GPU it computes on
  Throttling throttling;
  Reading<double> joules;  // of one iteration, by the GPU's counter
};

/// One problem and all of its arms.
struct MeasuredProblem {
  const PlannedCase* planned = nullptr;
  std::vector<std::int64_t> elements;
  std::optional<Evidence> truth;
  std::string no_truth;  // why there is none
  std::vector<Arm> arms;
  bool closed = false;
};

/// The row of a case that has not been measured yet: it is `interrupted` until it is.
CaseResult empty_case(const PlannedCase& planned, const std::string& id, const BackendRecord& backend);

class Workbench {
 public:
  using Tell = std::function<void(const MeasuredProblem&, const Arm&, const std::string& activity)>;

  /// `measure` and `arbiter` must outlive it. Without an arbiter nothing can be verified, and every case
  /// fails.
  Workbench(const Measure& measure, int arbiter_threads, const std::optional<BackendRecord>& arbiter,
            Tell tell)
      : measure_(measure),
        arbiter_threads_(arbiter_threads),
        arbiter_record_(arbiter),
        tell_(std::move(tell)) {}

  /// From here on every participant is a fresh process.
  void begin_launch();
  /// Ends all processes.
  void end();

  void find_truth(MeasuredProblem& problem);
  /// Has the arm's worker started and greeted; false where the arm is over, as it is where the worker does
  /// not have the operation.
  bool greet(Arm& arm, const Case& problem);
  /// Prepares and verifies. Leaves the arm over if it is not to be measured.
  void ready(MeasuredProblem& problem, Arm& arm, int launch);
  /// How many iterations make a sample. The first call is cold and is not counted from.
  void calibrate(const MeasuredProblem& problem, Arm& arm);
  /// In place of calibrate(), where the iterations are known: samples that are not counted. The first of a
  /// process shows which threads compute, and is slower: caches and clocks have to get warm. Another makes
  /// them warm where the threads are now.
  void warm_up(Arm& arm);
  /// One sample of the iterations found by calibrate(). Nothing where the arm is over for it.
  std::optional<answer::Sample> take_sample(Arm& arm);
  void keep(Arm& arm, const answer::Sample& sample);
  /// Where the arm's GPU throttled in its latest sample, lets it cool down before the next. Nobody else
  /// samples meanwhile: another arm may use the same GPU. False where there was nothing to wait for, or
  /// waiting does not help.
  bool rest(const MeasuredProblem& problem, Arm& arm);
  /// The energy of seconds of work, for an arm whose GPU is watched and that has samples of this launch: no
  /// timing sample, as the counters move too seldom for those. `gpus` are the host's.
  void measure_energy(const MeasuredProblem& problem, Arm& arm, const std::vector<Gpu>& gpus);
  /// A library that has given up since the first time would only look fast: then the arm is over.
  void verify_again(const MeasuredProblem& problem, Arm& arm);
  /// Lets the worker forget the case.
  void release(Arm& arm);
  /// Gives the arm its final status.
  void end(Arm& arm, Status status, const std::string& reason);

  /// Nobody samples while another's threads still spin.
  void settle(Arm& arm);
  /// What a turn took beside its sample; only where all else that it did was to ask for it.
  void note_cost(const Arm& arm, const answer::Sample& sample, double turn_seconds);
  /// CPU time used so far by the driver and all of its workers.
  double own_cpu_seconds() const;
  /// That the arm's threads are held on, in rising order; empty where the kernel decides.
  std::vector<int> cpus_held(const Arm& arm) const;
  /// Arms that are over.
  std::size_t ended() const { return ended_; }
  std::optional<Nvml>& nvml() { return nvml_; }

  /// The answer to a request; where there is none the arm is over.
  template <typename T>
  std::optional<T> ask(Arm& arm, const Request& request, std::optional<double> timeout = {},
                       const std::function<void()>& meanwhile = {}) {
    std::string reason;
    Status status = Status::failed;
    auto answered = ask<T>(workers_[arm.participant->key], request, reason, status, timeout, meanwhile);
    if (!answered) end(arm, status, reason);
    return answered;
  }
  /// The sample, if it is of as many iterations as were asked for; else the arm is over.
  std::optional<answer::Sample> checked(Arm& arm, std::int64_t iterations, std::optional<answer::Sample> s);

 private:
  /// The answer; or nothing and the reason. A lost worker is forgotten, to be started afresh.
  template <typename T>
  std::optional<T> ask(std::unique_ptr<WorkerProcess>& worker, const Request& request, std::string& reason,
                       Status& status, std::optional<double> timeout = {},
                       const std::function<void()>& meanwhile = {}) {
    if (!worker) {
      reason = "the worker is gone";
      return std::nullopt;
    }
    auto asked = worker->ask<T>(
        request, std::chrono::duration<double>(timeout.value_or(measure_.timeout_seconds)), meanwhile);
    if (auto* answered = std::get_if<T>(&asked)) return std::move(*answered);
    if (const auto* refusal = std::get_if<answer::Refusal>(&asked)) {
      reason = refusal->reason;
      status = parse_status(refusal->status).value_or(Status::failed);
      return std::nullopt;
    }
    const auto& lost = std::get<WorkerLost>(asked);
    reason = lost.reason;
    status = lost.status;
    worker.reset();
    return std::nullopt;
  }

  std::optional<answer::Sample> take_sample(Arm& arm, std::int64_t iterations);
  /// Around a sample that shows which threads compute: they are placed when the worker has settled after it.
  void watch_threads(const Arm& arm);
  Placement* placement(const Arm& arm) const;  // nothing where the kernel decides
  void place_threads(const Arm& arm, const answer::Sample& sample);
  /// Nothing where the arm is over: wrong, or without an answer. `when` goes before what is wrong. Of all
  /// times, the worst is kept.
  std::optional<Evidence> verify(const MeasuredProblem& problem, Arm& arm, std::string_view when);
  void note_losses(const Arm& arm, const answer::Sample& sample);
  void watch_gpu(Arm& arm);
  /// Why the energy of this arm's work cannot be told from what the counter says; empty where it can.
  std::string why_no_energy(const Arm& arm, const std::vector<Gpu>& gpus) const;
  bool is_ours(std::int64_t pid) const;

  const Measure& measure_;
  int arbiter_threads_;
  const std::optional<BackendRecord>& arbiter_record_;
  Tell tell_;
  std::optional<Nvml> nvml_;  // where a backend computes on a GPU; goes after the arms that watch one
  std::map<std::string, std::unique_ptr<WorkerProcess>> workers_;
  std::map<std::string, std::unique_ptr<Placement>> placements_;  // by worker, where threads are placed
  std::map<std::string, std::vector<double>> turn_costs_;         // seconds, by worker: the latest
  std::unique_ptr<WorkerProcess> arbiter_;
  std::size_t ended_ = 0;
};

}  // namespace breakeven
