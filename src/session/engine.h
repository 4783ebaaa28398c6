// The measuring loop, the same for every command: prepare, verify, warm up, sample in rounds, verify again.
// run, gate and threshold decide who is measured together, who is due in a round, and when it is enough.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/speed_probe.h"
#include "plan/config.h"
#include "results/result.h"
#include "session/clock.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "session/schedule.h"
#include "session/worker_pool.h"
#include "statistics/summary.h"

namespace breakeven {

/// The probes before and after a stretch of rounds: the machine's speed then can be judged again by what is
/// known later.
struct RoundProbes {
  std::shared_ptr<const std::vector<CpuSpeedRatios>> before, after;  // null: not probed
};

/// One problem, and what its result should be.
struct MeasuredProblem {
  const PlannedCase* planned = nullptr;
  std::vector<std::int64_t> elements;    // flat indices of the result that are compared
  std::optional<Evidence> reference;     // computed by the reference backend in float64
  std::optional<NoAnswer> no_reference;  // why there is none
};

/// One participant's work on one problem, over all launches.
struct Contender {
  const Participant* participant = nullptr;
  MeasuredProblem* problem = nullptr;
  CaseResult* row = nullptr;
  bool finished = false;  // its status is final, and it is measured no further
  int launch = -1;        // the latest

  std::vector<std::vector<double>> visits;  // seconds of an iteration, by visit
  std::vector<answer::Sample> answers;      // of all samples, in order, without losses
  std::vector<double> own_speed;            // the machine's, beside each sample; NaN: not probed then
  std::vector<RoundProbes> probes;          // around each sample
  std::size_t verified_answers = 0;         // so many of `answers` have a verification behind them
  std::vector<std::string> algorithms;      // that its visits took, without the times of their races
  std::int64_t iterations = 1;              // of a sample
  double request_seconds = 0;               // of an iteration, with what the request takes beside it
  double setup_seconds = 0;                 // of this visit: preparing and verifying
  double warm_seconds = 0;                  // of this visit: the samples that found `iterations`
  double spent = 0;                         // seconds of sampling in this launch
  Progress progress = Progress::more;
  bool busy_when_idle = false;
  DoubtfulTimes doubt;
  std::vector<std::string> warnings;
  CountedOnHost on_host;  // in its visits

  std::unique_ptr<GpuWatch> watch;  // of a backend that says which GPU it computes on; null: of another
  Throttling throttling;
  Reading<double> joules;  // of one iteration, by the GPU's counter
};

/// The row of a case that has not been measured yet: it is `interrupted` until it is.
CaseResult empty_case(const PlannedCase& planned, const std::string& id, const BackendRecord& backend);

/// The seconds of all iterations of a sample.
double total_seconds(const answer::Sample& sample);

/// One sample of each contender that was due.
struct Round {
  std::vector<std::optional<answer::Sample>> samples;  // by contender of the visit
  bool throttled = false;                              // a GPU had lowered its clocks, and resting may help
  std::optional<double> own_speed;  // the machine's, the lower one of before and after; empty: not probed
  RoundProbes probes;

  /// True if nothing disturbed it that is known.
  bool is_undisturbed() const { return !throttled && own_speed.value_or(1) >= trusted_speed_share; }

  /// The longest sample, in seconds.
  double longest() const;
};

/// Contenders that are measured together, in rounds.
struct Visit {
  std::vector<Contender*> contenders;
  int launch = 0;
  double seconds = 3;      // that sampling a contender may take: warming up takes a part of that
  bool is_paired = false;  // of no use without each other: the first that fails ends the visit, and all take
                           // samples of equally many iterations where their times allow it
  bool keeps_iterations = false;  // they were found in an earlier visit
  bool measures_energy = false;
  double wait_until = 0;  // while the machine is slower than itself, no later than this

  /// The contenders of the next round, in order; none: it is enough. `pending` rounds have been taken, and
  /// take() is called for them after the next probe. Where it is enough only with these, due() is asked again
  /// without any.
  std::function<std::vector<std::size_t>(std::size_t pending)> due = {};
  /// What is known of a round, in the order in which they were taken.
  std::function<void(const Round&)> take = {};
  /// Between verification and warm-up, such as whole epochs of training.
  std::function<void()> before_sampling = {};
};

/// What an engine measures with. Tests give it scripted workers and simulated time.
struct Instruments {
  StartWorker start_worker;
  TimeSource* time = nullptr;
  /// A probe of these CPUs; null: the machine's own speed is not known.
  std::function<std::unique_ptr<SpeedProbe>(const std::vector<int>& cpus)> make_speed_probe = {};
  /// Watches the GPU with this id; null: NVML does.
  std::function<std::unique_ptr<GpuWatch>(const std::string& id)> watch_gpu = {};
};

/// Real processes, and the machine's clock.
const Instruments& real_instruments();

/// True if the backend has the operation. What fits can also be found for those without `fits`, if they have
/// memory of their own and the operation that is to fit.
bool takes(const BackendRecord& backend, const Case& problem);

class Engine {
 public:
  using ReportProgress = std::function<void(const Contender&, const std::string& activity)>;

  /// `measure` and `instruments` must outlive it. Without a reference backend nothing can be verified, and
  /// every case fails.
  Engine(const Measure& measure, const Instruments& instruments, int threads,
         const std::optional<BackendRecord>& reference, ReportProgress report_progress);

  /// From here on every participant is a fresh process.
  void begin_launch();
  void stop_workers();

  /// Measures the contenders that are not finished: computes the references, prepares and verifies, samples
  /// until it is enough, verifies again, and lets the programs forget the case. False if a paired visit ended
  /// before it was enough, or an interruption came.
  bool measure(Visit& visit);

  /// Prepares, verifies and releases one contender, without a sample.
  void verify_only(Contender& contender, int launch);

  /// Starts the contender's program, unless it runs. False if the contender is finished, as it is unless
  /// takes() the case.
  bool start_worker(Contender& contender);

  /// The answer to a request, or why there is none. Either way the contender goes on.
  template <typename T>
  Answered<T> try_to_ask(Contender& contender, const Request& request, double timeout) {
    return workers_.ask<T>(*contender.participant, request, timeout);
  }

  /// The answer to a request; without one the contender is finished.
  template <typename T>
  std::optional<T> ask(Contender& contender, const Request& request, std::optional<double> timeout = {},
                       const std::function<void()>& meanwhile = {}) {
    auto answered = workers_.ask<T>(*contender.participant, request, timeout, meanwhile);
    if (auto* answer = std::get_if<T>(&answered)) return std::move(*answer);
    const auto& none = std::get<NoAnswer>(answered);
    finish(contender, none.status, none.reason);
    return std::nullopt;
  }

  /// Gives the contender its final status.
  void finish(Contender& contender, Status status, const std::string& reason);
  /// Lets the program forget the case.
  void release(Contender& contender);
  /// Waits until the contender's threads sleep.
  void wait_until_idle(Contender& contender);
  /// Fills in result.host.gpus; must come before contenders are measured that compute on one.
  std::vector<Gpu> find_gpus(const std::vector<BackendRecord>& backends);

  /// How fast the machine was in all rounds so far; empty if it was not probed.
  std::optional<MachineSpeed> machine_speed() const;
  double probe_seconds() const { return probe_seconds_; }
  /// The share of its own speed at which the machine ran in an earlier round, by what is known now; 1 where
  /// it was not probed.
  double own_speed_by_now(const RoundProbes& probes) const;
  /// Seconds that were spent waiting for the machine, and its median share of its own speed meanwhile.
  double waited_seconds() const { return waited_seconds_; }
  double speed_while_waiting() const { return waiting_speeds_.empty() ? 1 : median(waiting_speeds_); }

  /// The seconds of an epoch, which are held against the driver's clock.
  std::optional<answer::Epoch> train_epoch(Contender& contender, double timeout);

  /// Contenders that finish() was called for.
  std::size_t finished() const { return finished_; }
  TimeSource& time() const { return *instruments_.time; }

 private:
  void compute_reference(MeasuredProblem& problem);
  void prepare_and_verify(Contender& contender, int launch);
  /// The evidence that it computes correctly. Otherwise the contender is finished, and `when` begins the
  /// message. The row keeps the largest error.
  std::optional<Evidence> verify(Contender& contender, std::string_view when);
  void verify_again(Contender& contender);

  /// Notes which algorithm the contender's program took this time.
  static void note_algorithm(Contender& contender);
  /// Finds out whether the machine is probed in this visit, and what a probe costs.
  void begin_probing(const Visit& visit);
  /// Finds how many iterations make a sample. The first call is cold and is not counted from.
  void calibrate(Contender& contender, double seconds);
  /// Two samples that are not counted. The first of a process shows which threads compute, and is slower; the
  /// second is taken where the threads are held now.
  void place_and_warm(Contender& contender);
  bool prepare_samples(Visit& visit);
  /// Rounds of samples that are not counted, until their times are steady.
  bool warm_up(Visit& visit);
  bool sample_in_rounds(Visit& visit);
  /// The machine's own speed now, 0 to 1; empty without a probe.
  std::optional<double> probe_speed();
  /// Keeps how long the probe's parts took, after a round and while waiting.
  void note_parts(const SpeedProbeTimes& times);
  /// Waits while the machine is slower than itself, as long as the visit allows.
  void wait_for_own_speed(const Visit& visit);
  /// Rounds up to the next probe: several where they are short, so that probes keep to their share of the
  /// time. Short samples in turn are better than long ones: a change of the machine's speed then meets all
  /// contenders. Empty if a paired visit cannot go on.
  std::optional<std::vector<Round>> take_stretch(Visit& visit);
  /// Likewise. Its speed is not known yet.
  std::optional<Round> take_round(Visit& visit, const std::vector<std::size_t>& due);
  /// Probes the machine after these rounds.
  void probe_after(const Visit& visit, std::vector<Round>& rounds);

  /// One sample of `contender.iterations`.
  std::optional<answer::Sample> take_sample(Contender& contender,
                                            const std::function<void()>& meanwhile = {});
  std::optional<answer::Sample> take_watched_sample(Contender& contender);
  /// The sample, if it can be: of as many iterations as requested, in no more time than has passed. Otherwise
  /// the contender is finished.
  std::optional<answer::Sample> checked(Contender& contender, std::int64_t iterations,
                                        std::optional<answer::Sample> sample, double wall_seconds);
  /// Finishes the contender of a program that cannot be believed; the next case starts it afresh.
  void give_up(Contender& contender, const std::string& fault);
  void keep(Contender& contender, const answer::Sample& sample);
  void keep_losses(Contender& contender, const answer::Sample& sample);
  /// What a turn took beside its sample; only where all else that it did was to ask for it.
  void note_turn_cost(const Contender& contender, const answer::Sample& sample, double turn_seconds);
  /// Lets the contender's GPU cool down before its next sample. Nobody else samples meanwhile: another
  /// contender may use the same GPU.
  void cool_down(Contender& contender);

  void watch_gpu(Contender& contender);
  /// The energy of seconds of work, for a contender whose GPU is watched: no timing sample, as the counters
  /// move too seldom for those.
  void measure_energy(Contender& contender);
  std::string why_no_energy(const Contender& contender) const;

  const Measure& measure_;
  const Instruments& instruments_;
  std::optional<Participant> reference_;
  ReportProgress report_progress_;
  std::optional<Nvml> nvml_;  // where a backend computes on a GPU
  std::vector<Gpu> gpus_;
  WorkerPool workers_;
  std::unique_ptr<SpeedProbe> speed_probe_;  // null: none
  bool probes_ = false;                      // in this visit
  std::optional<double> latest_speed_;
  std::shared_ptr<const std::vector<CpuSpeedRatios>> latest_probe_;
  std::vector<double> round_speeds_;
  std::map<std::string, std::vector<double>> part_seconds_;  // of the probe, by part: the slowest CPU's
  std::vector<double> instructions_per_cycle_;               // of the probe's arithmetic: the slowest CPU's
  std::vector<double> probe_costs_;  // seconds, the latest; empty: it is not calibrated
  double probe_seconds_ = 0;
  std::vector<double> waiting_speeds_;
  double waited_seconds_ = 0;
  std::map<std::string, std::vector<double>> turn_costs_;  // seconds, by participant: the latest
  std::size_t finished_ = 0;
};

}  // namespace breakeven
