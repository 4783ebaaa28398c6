// The steps of measuring a contender: prepare, verify, choose its threads and iterations, sample, verify
// again. The order, and the rounds in which contenders are sampled in turn, are in visit.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/speed_probe.h"
#include "host/steady_clock.h"
#include "plan/config.h"
#include "results/result.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "session/reported_time.h"
#include "session/schedule.h"
#include "session/speed_record.h"
#include "session/time_source.h"
#include "session/worker_pool.h"
#include "session/worker_process.h"
#include "statistics/race.h"
#include "workloads/interface.h"

namespace breakeven {

class StartedPrograms;

/// One problem and its reference result.
struct MeasuredProblem {
  const PlannedCase* planned = nullptr;
  std::vector<std::int64_t> elements;    // flat indices of the elements of the result that are compared
  std::optional<Evidence> reference;     // computed by the reference backend in float64
  std::optional<NoAnswer> no_reference;  // why there is no reference
};

/// One participant's work on one problem, over all launches.
struct Contender {
  Contender(const Participant& who, MeasuredProblem& of, CaseResult& its_row)
      : participant(&who), problem(&of), row(&its_row) {}

  const Participant* participant;
  MeasuredProblem* problem;
  CaseResult* row;
  bool finished = false;               // its status is final and it is measured no further
  bool is_alone = false;               // memory is short: it is measured when no other program holds any
  int launch = -1;                     // the latest one
  std::optional<int> threads;          // that compute it, once chosen; 0: as many as its program has
  std::optional<answer::Ready> ready;  // the answer to its latest preparation

  std::vector<std::vector<double>> visits;  // seconds per iteration, by visit
  std::vector<answer::Sample> answers;      // to all sample requests, in order, without losses
  std::vector<double> own_speed;            // the machine's, at each sample; NaN if not probed
  std::vector<RoundProbes> probes;          // around each sample
  std::size_t verified_answers = 0;         // the number of `answers` that were verified afterwards
  std::vector<std::string> algorithms;      // that its visits used, without the times of their selection
  std::int64_t iterations = 1;              // per sample
  double request_seconds = 0;               // per iteration, including the overhead of the request
  double setup_seconds = 0;                 // for preparing and verifying in this visit
  double choosing_seconds = 0;              // for the choice of its threads before that
  double warm_seconds = 0;                  // for the samples of this visit that found `iterations`
  double spent = 0;                         // seconds of sampling in this launch
  bool busy_when_idle = false;
  int short_epochs = 0;        // consecutive ones whose reported time was too short
  std::vector<double> totals;  // seconds of the latest samples that were believed
  double clock_step = 0;       // of the clock that measures its samples, in seconds; 0: too small to matter
  std::size_t jumps = 0;       // samples that were taken again because a clock had jumped
  std::vector<Note> warnings;
  CountedOnHost on_host;  // during its visits

  std::unique_ptr<GpuWatch> watch;  // null if the backend does not say which GPU it computes on
  Throttling throttling;
  Reading<double> joules;       // per iteration, from the GPU's counter
  std::optional<double> watts;  // the GPU's, in the same run
};

/// The result row of a case before it is measured. Its status is `interrupted`.
CaseResult empty_case(const PlannedCase& planned, const std::string& id, const BackendRecord& backend);

/// Counters of the machine, and the CPU time that the driver and its programs have used by then.
struct HostUse {
  HostCounters counters;
  double own_seconds = 0;
};

inline bool is_on_gpu(const Contender& contender) {
  return contender.participant->backend.device == "gpu";
}

/// The external services of an engine. Tests pass scripted workers and simulated time.
struct Instruments {
  StartWorker start_worker;
  TimeSource* time = nullptr;
  /// Makes a probe of these CPUs; if null, the machine's own speed is not measured.
  std::function<std::unique_ptr<SpeedProbe>(const std::vector<int>& cpus)> make_speed_probe = {};
  /// Reads what the kernel counts of the machine.
  std::function<HostCounters()> read_counters = breakeven::read_counters;
  /// Watches the GPU with this id; if null, NVML is used.
  std::function<std::unique_ptr<GpuWatch>(const std::string& id)> watch_gpu = {};
};

/// Real processes and the machine's clock.
const Instruments& real_instruments();
/// The same, with programs that are started already. `started` must outlive them.
Instruments handing_over(StartedPrograms& started);

/// True if the backend supports the operation. `fits` can also be found for backends without it, if they have
/// memory of their own and support the operation that must fit.
bool takes(const BackendRecord& backend, const Case& problem);

class Engine {
 public:
  using ReportProgress = std::function<void(const Contender&, const std::string& activity)>;

  /// `measure` and `instruments` must outlive the engine. Without a reference backend nothing can be
  /// verified, and every case fails.
  Engine(const Measure& measure, const Instruments& instruments, int threads,
         const std::optional<BackendRecord>& reference, ReportProgress report_progress);

  /// The same participant with the ranks of a case. The engine keeps it.
  const Participant& with_ranks_of(const Case& problem, const Participant& participant);

  /// Starts a launch: every participant is a fresh process from here on. Scripts that are measured `soon`
  /// are started in parallel.
  void begin_launch(const std::vector<const Participant*>& soon = {}) {
    workers_.stop_all_but(reference_ ? reference_->key : "");
    workers_.start_scripts(soon);
  }
  void stop_workers() { workers_.stop(); }

  // The steps of a visit, in this order.

  void compute_reference(MeasuredProblem& problem);
  /// Prepares and verifies the case. If its samples can be taken, it is not finished after that.
  void prepare_and_verify(Contender& contender, int launch);
  /// Determines the number of iterations per sample, in a part of `seconds`, or keeps that of an earlier
  /// visit.
  void calibrate(Contender& contender, double seconds, bool keeps_iterations);
  /// A sample that does not count; empty if the contender is finished by it.
  std::optional<answer::Sample> take_warm_up_sample(Contender& contender);
  /// Waits while the machine is below its own speed, until this time at the latest.
  void wait_for_own_speed(const Contender& next, double until);
  /// Lets the contender's GPU cool down before its next sample. No other contender samples meanwhile, because
  /// it may use the same GPU.
  void cool_down(Contender& contender);
  /// True if the contender's GPU has lowered its clocks, and a rest may help.
  bool may_rest(const Contender& contender) const { return rest_seconds(contender.throttling, measure_) > 0; }
  /// Takes a sample and keeps it with the others; empty if the contender is finished by it.
  std::optional<answer::Sample> take_kept_sample(Contender& contender);
  /// Measures energy over several seconds of work, for a contender whose GPU is watched. This is separate
  /// from the timing samples, which are too short for the GPU's counters.
  void measure_energy(Contender& contender);
  /// Takes a sample without the further runs on a GPU in which a program could hide time that it does not
  /// report. Finishes the contender if its other samples were much shorter.
  void check_without_further_runs(Contender& contender);
  /// Verifies again after sampling, because a library that fails midway would only look fast.
  void verify_again(Contender& contender);
  /// Finishes the contender as implausible if no processor computes as fast as its samples say.
  void compare_with_any_processor(Contender& contender);
  /// Releases the case, and records the conditions of its samples between these moments.
  void close(Contender& contender, const HostUse& before, const HostUse& after);

  HostUse host_use() const { return {instruments_.read_counters(), workers_.cpu_seconds()}; }

  /// Opens a contender again for which there was too little memory while others held some: it can be measured
  /// alone, after stop_workers(). Returns false if it has not failed for that.
  bool reopen_for_memory(Contender& contender);

  /// Prepares, verifies and releases one contender without sampling it.
  void verify_only(Contender& contender, int launch);

  /// Starts the contender's program unless it runs. Returns false if the contender is finished, which
  /// includes every contender whose backend does not take the case (see takes()).
  bool start_worker(Contender& contender);

  /// Returns the answer to a request, or why there is none. The contender continues in both situations.
  template <typename T>
  Answered<T> try_to_ask(Contender& contender, const Request& request, double timeout) {
    return workers_.ask<T>(*contender.participant, request, timeout);
  }

  /// Returns the answer to a request. Without an answer the contender is finished, and what its program has
  /// prepared is released, so that the next contender finds the memory.
  template <typename T>
  std::optional<T> ask(Contender& contender, const Request& request, std::optional<double> timeout = {},
                       const std::function<void()>& meanwhile = {}) {
    auto answered = workers_.ask<T>(*contender.participant, request, timeout, meanwhile);
    if (auto* answer = std::get_if<T>(&answered)) return std::move(*answer);
    const auto& none = std::get<NoAnswer>(answered);
    finish(contender, none.status, none.reason);
    if (!std::holds_alternative<request::Prepare>(request)) release(contender);
    return std::nullopt;
  }

  /// Finishes the contender with its final status.
  void finish(Contender& contender, Status status, const std::string& reason);
  /// Releases the case in the contender's program.
  void release(Contender& contender) {
    workers_.ask<answer::Done>(*contender.participant, request::Release{});
  }
  /// Ends the contender's program. The next case starts it again.
  void end_program(const Contender& contender) { workers_.stop_one(*contender.participant); }
  /// Waits until the contender's threads sleep.
  void wait_until_idle(Contender& contender);
  /// Fills in result.host.gpus. Must be called before contenders are measured that compute on a GPU.
  std::vector<Gpu> find_gpus(const std::vector<BackendRecord>& backends) {
    return gpus_ = describe_gpus(backends, nvml_);
  }
  std::vector<Note> warnings_of_gpus(const std::vector<BackendRecord>& backends,
                                     std::size_t rank_counts) const {
    return gpu_warnings(gpus_, backends, rank_counts, nvml_);
  }

  /// The machine's speed in all visits so far.
  const SpeedRecord& speed() const { return speed_; }
  SpeedRecord& speed() { return speed_; }

  /// Trains one epoch. It must not have taken longer than the request did by the driver's clock.
  std::optional<answer::Epoch> train_epoch(Contender& contender, double timeout);

  /// The number of contenders that are finished.
  std::size_t finished() const { return finished_; }
  TimeSource& time() const { return *instruments_.time; }

 private:
  /// Prepares the case with the contender's number of threads. Returns false if the contender is finished.
  bool prepare(Contender& contender);
  /// The same with so many threads, unless that is how it is prepared already.
  bool prepare_with(Contender& contender, int threads);
  /// Chooses the number of threads for a case that was just prepared for the first time, with all of them, in
  /// so many seconds: these, unless fewer are clearly faster. Does nothing if there is no choice, or if it
  /// would take too much of the case's time. Returns false if the contender is finished.
  bool choose_threads(Contender& contender, double prepare_seconds);
  /// Times the case with all numbers of threads that it may take. Calls of more than `long_call` seconds are
  /// few. Empty if fewer threads are not faster, or if the contender is finished.
  std::vector<RacedTimes> race_threads(Contender& contender, double affordable, double long_call);
  /// Some times of the case with so many threads, in seconds per iteration; one if that is more than
  /// `long_call`, and none if the program fails.
  std::vector<double> time_threads(Contender& contender, int threads, double long_call);
  /// Takes back that the contender is finished.
  void reopen(Contender& contender);
  /// Compares the contender's result with the reference and returns the evidence. If the result is wrong, the
  /// contender is finished, with `when` at the beginning of the message. The row keeps the largest error.
  std::optional<Evidence> verify(Contender& contender, std::string_view when);
  /// Why the contender's samples are too short, because further runs hid the rest of the time; empty if they
  /// are not. Takes samples with and without these runs in turn.
  std::string hidden_by_further_runs(Contender& contender);

  /// Records the CPUs and ranks on which the contender's program runs. To be called before it may end.
  void note_places(Contender& contender) const;
  /// Records the algorithm that the contender's program selected this time.
  static void note_algorithm(Contender& contender);
  /// The iterations of a sample. The first call is cold and does not count.
  void find_iterations(Contender& contender, double seconds);
  /// Pins each thread that computed in the last sample, which took so long, to a core of its own.
  void place_threads(const Contender& contender, double sample_seconds);

  /// A sample, and what passed meanwhile.
  struct TimedSample {
    answer::Sample sample;
    double answer_seconds = 0;  // until the answer
    double turn_seconds = 0;    // until the threads of the program slept again
    std::string doubt = {};     // why its time is not believed; empty if it is
    bool jumped = false;        // because a clock went back or jumped ahead
  };
  /// Requests a sample and waits until the contender's threads sleep.
  std::optional<TimedSample> request_sample(Contender& contender, request::Sample request,
                                            std::optional<double> timeout = {},
                                            const std::function<void()>& meanwhile = {});
  /// Requests a sample before those that count, pins the threads that compute in it, and notes how long the
  /// request took.
  std::optional<TimedSample> sample_and_place(Contender& contender, std::int64_t iterations);
  /// How long an iteration of a sample took at most, by the driver's clock.
  double request_seconds_each(const TimedSample& taken) const;
  /// About how long an iteration of a sample took.
  double seconds_each(const TimedSample& taken) const;
  /// Takes one sample of `contender.iterations`. One whose time is not believed is taken again, and then with
  /// more iterations, which a busy machine disturbs less: only if the driver's clock can tell for certain
  /// that the program does not report its time, the contender is finished. The iterations stay increased.
  std::optional<answer::Sample> take_sample(Contender& contender,
                                            const std::function<void()>& meanwhile = {});
  /// The seconds that the program may have spent in a request besides those that it reports.
  double untimed_seconds(const Contender& contender, const answer::Sample& sample);
  /// Learns from a sample how good its clock is, and warns of one that steps or jumps.
  void note_clock(Contender& contender, const TimedSample& taken) const;
  /// The least length of a sample, in seconds, with a clock that steps by as many.
  double least_length(double clock_step) const;
  /// Finishes a contender whose program reports impossible values. The next case starts the program again.
  void give_up(Contender& contender, const std::string& fault);
  void keep_losses(Contender& contender, const answer::Sample& sample);
  /// Records the overhead of a turn beyond its sample. Must be called only if the turn did nothing else.
  void note_turn_cost(const Contender& contender, const answer::Sample& sample, double turn_seconds);

  void watch_gpu(Contender& contender);
  std::string why_no_energy(const Contender& contender) const;

  const Measure& measure_;
  const Instruments& instruments_;
  std::optional<Participant> reference_;
  ReportProgress report_progress_;
  std::optional<Nvml> nvml_;  // opened if a backend computes on a GPU
  std::vector<Gpu> gpus_;
  std::map<std::string, Participant> with_ranks_;  // by key
  std::set<std::string> has_prepared_;             // keys of participants
  WorkerPool workers_;
  SpeedRecord speed_;
  std::map<std::string, std::vector<double>> turn_costs_;  // seconds, by participant, latest last
  const double cpu_count_;                                 // CPUs that programs may use
  const double clock_step_;                                // of the driver's clock, in seconds
  std::optional<double> flush_seconds_;                    // of the caches by the driver, once measured
  std::size_t finished_ = 0;
};

/// Progress to show to the user.
struct SessionProgress {
  std::size_t cases_done = 0, cases_total = 0;
  std::string id, backend;
  std::string activity;                                // "preparing", "verifying", "training", "sampling"
  std::optional<double> median = {}, half_width = {};  // so far; the half width relative to the median
  std::optional<double> seconds_left = {};             // for the whole run, if known well enough
  bool at_most = false;  // `seconds_left` is a time limit; the run may end earlier
};
using ShowProgress = std::function<void(const SessionProgress&)>;

}  // namespace breakeven
