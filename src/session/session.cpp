#include "session/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "session/discovery.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "session/schedule.h"
#include "session/worker_process.h"
#include "statistics/summary.h"
#include "version.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

double cpu_seconds_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

/// One backend's part in one problem, over all launches.
struct Arm {
  std::size_t case_index = 0;  // in the result
  const BackendRecord* backend = nullptr;
  bool over = false;  // its status is final and it is measured no further

  std::vector<std::vector<double>> launches;
  std::vector<answer::Sample> answers;  // of all samples, in order, without losses
  std::int64_t iterations = 1;
  double spent = 0;  // seconds of sampling in this launch
  Progress end = Progress::more;
  bool busy_when_idle = false;

  std::optional<GpuWatch> watch;  // of a backend that says which GPU it computes on
  Throttling throttling;
  Reading<double> joules;  // of one iteration, by the GPU's counter
};

/// One problem and all of its arms.
struct Problem {
  const PlannedCase* planned = nullptr;
  std::vector<std::int64_t> elements;
  std::optional<Evidence> truth;
  std::string no_truth;  // why there is none
  std::vector<Arm> arms;
  bool closed = false;
};

/// How long the problems of one workload took.
struct Durations {
  double sum = 0;
  double count = 0;
};

/// Cases by (id, backend). The names are the cases' own and must outlive it.
using CaseKey = std::pair<std::string_view, std::string_view>;
using CaseIndex = std::map<CaseKey, const CaseResult*>;

class Session {
 public:
  Session(const SessionPlan& plan, const std::function<void(const Result&, std::size_t)>& save,
          const std::function<void(const SessionProgress&)>& show)
      : plan_(plan), measure_(plan.config.measure), save_(save), show_(show), generator_(measure_.seed) {}

  Result run() {
    begin();
    for (int launch = 0; launch < measure_.launches && !Interruption::requested(); ++launch) {
      workers_.clear();  // every launch is a fresh process of every backend
      for (std::size_t p = 0; p < problems_.size() && !Interruption::requested(); ++p) {
        const auto start = Clock::now();
        seconds_left_ = seconds_left();
        measure(problems_[p], launch);
        if (launch + 1 == measure_.launches) close(problems_[p]);
        Durations& seen = durations_[problems_[p].planned->problem.workload];
        seen.sum += seconds_since(start);
        ++seen.count;
        ++measurements_done_;
        save_(result_,
              problems_[p].arms.empty() ? result_.cases.size() : problems_[p].arms.front().case_index);
      }
    }
    workers_.clear();
    arbiter_.reset();
    for (Problem& problem : problems_) close(problem);  // what an interruption left open
    result_.complete = std::none_of(result_.cases.begin(), result_.cases.end(),
                                    [](const CaseResult& c) { return c.status == Status::interrupted; });
    return std::move(result_);
  }

 private:
  /// Every case is in the result from the start: until it is measured it is `interrupted`.
  void begin() {
    result_.created = now_utc();
    result_.tool_version = version;
    result_.tool_compiler = compiler;
    result_.tool_build = build_type;
    if (!optimised)
      result_.warnings.emplace_back(
          "this build is not optimised: its own part of the times is not to be trusted");
    result_.host = describe_host(plan_.threads);
    result_.host.gpus = describe_gpus(plan_.backends, nvml_);
    result_.config = plan_.config.json;
    result_.backends = plan_.backends;
    CaseIndex earlier;
    if (plan_.earlier) {
      for (const auto& c : plan_.earlier->cases) earlier.emplace(CaseKey(c.id, c.backend), &c);
    }
    problems_.reserve(plan_.config.cases.size());
    for (const auto& planned : plan_.config.cases) {
      Problem problem{
          .planned = &planned, .elements = {}, .truth = {}, .no_truth = {}, .arms = {}, .closed = false};
      const std::string id = planned.problem.id();
      for (const auto& backend : plan_.backends) {
        if (!backend.available || !takes_part(backend, planned.problem)) continue;
        if (const auto old = earlier.find({id, backend.name}); old != earlier.end()) {
          const CaseResult& known = *old->second;
          earlier.erase(old);
          if (known.status != Status::interrupted) {
            result_.cases.push_back(known);
            continue;
          }
        }
        problem.arms.emplace_back().case_index = result_.cases.size();
        problem.arms.back().backend = &backend;
        result_.cases.push_back(empty_case(planned, id, backend));
      }
      if (!problem.arms.empty()) problems_.push_back(std::move(problem));
    }
    keep_unasked(earlier);
  }

  /// A backend that nobody named and that lacks an operation would say so at every problem: those that have
  /// it are asked, and all where none has it.
  bool takes_part(const BackendRecord& backend, const Case& problem) const {
    const auto has_operation = [&](const BackendRecord& b) {
      return b.available && std::any_of(b.supports.begin(), b.supports.end(), [&](const auto& operation) {
               return operation.first == problem.workload->op();
             });
    };
    return plan_.backends_are_named || has_operation(backend) ||
           std::none_of(plan_.backends.begin(), plan_.backends.end(), has_operation);
  }

  /// What the earlier run has and this one is not asked for stays in the file as it is.
  void keep_unasked(const CaseIndex& unasked) {
    if (!plan_.earlier) return;
    for (const auto& b : plan_.earlier->backends) {
      const auto same = [&](const BackendRecord& known) { return known.name == b.name; };
      if (std::none_of(result_.backends.begin(), result_.backends.end(), same)) result_.backends.push_back(b);
    }
    for (const Gpu& gpu : plan_.earlier->host.gpus) {
      const auto same = [&](const Gpu& known) { return known.id == gpu.id; };
      if (std::none_of(result_.host.gpus.begin(), result_.host.gpus.end(), same))
        result_.host.gpus.push_back(gpu);
    }
    for (const auto& c : plan_.earlier->cases) {
      if (unasked.contains({c.id, c.backend})) result_.cases.push_back(c);
    }
  }

  static CaseResult empty_case(const PlannedCase& planned, const std::string& id,
                               const BackendRecord& backend) {
    const Case& problem = planned.problem;
    CaseResult made;
    made.id = id;
    made.label = planned.label;
    made.op = problem.workload->op();
    made.parameters = problem.parameters;
    made.dtype = name(problem.dtype());
    made.backend = backend.name;
    made.device = backend.device;
    made.status = Status::interrupted;
    made.reason = "not measured yet";
    made.flop = problem.flop();
    made.bytes = problem.bytes();
    made.samples = problem.samples();
    return made;
  }

  CaseResult& record(const Arm& arm) { return result_.cases[arm.case_index]; }

  void measure(Problem& problem, int launch) {
    const HostCounters before = read_counters();
    const double own_before = own_cpu_seconds();
    if (!problem.planned->problem.workload->is_timed()) {
      for (Arm& arm : problem.arms) {
        if (!arm.over) find_fit(problem, arm);
      }
      return;
    }
    find_truth(problem);
    for (Arm& arm : problem.arms) {
      if (!arm.over) ready(problem, arm, launch);
    }
    if (launch == 0) train(problem);
    for (Arm& arm : problem.arms) {
      if (!arm.over) calibrate(problem, arm);
    }
    sample(problem);
    if (launch + 1 == measure_.launches) measure_energy(problem);
    const HostCounters after = read_counters();
    for (Arm& arm : problem.arms) {
      if (!arm.over && !Interruption::requested()) {
        // A library that has given up since the first time would only look fast.
        tell(problem, arm, "verifying again");
        verify(problem, arm, "when verified again after the samples: ");
      }
      if (!arm.over) release(arm);
      record(arm).conditions = conditions_between(before, after, own_cpu_seconds() - own_before);
      if (arm.watch) record(arm).conditions.device = device_conditions(arm);
    }
  }

  // ---- the steps of measure()

  void find_truth(Problem& problem) {
    if (problem.truth || !problem.no_truth.empty()) return;
    const Case& c = problem.planned->problem;
    problem.elements = elements_to_check(c.workload->output(c.parameters).elements(), measure_.seed);
    if (!plan_.arbiter) {
      problem.no_truth = "there is no arbiter: breakeven-backend-reference is not beside the driver";
      return;
    }
    if (!arbiter_) {
      arbiter_ = start(*plan_.arbiter);
      if (!ask<answer::Hello>(arbiter_, greeting(), problem.no_truth)) {
        arbiter_.reset();
        return;
      }
    }
    if (auto truth = ask<Evidence>(
            arbiter_, request::Expect{.problem = c, .seed = measure_.seed, .elements = problem.elements},
            problem.no_truth)) {
      problem.truth = std::move(*truth);
    }
    if (arbiter_) arbiter_->wait_until_quiet();
  }

  /// Has the arm's worker started and greeted; false where the arm is over for it.
  bool greet(Arm& arm) {
    auto& worker = workers_[arm.backend->name];
    if (worker) return true;
    worker = start(*arm.backend);
    if (ask<answer::Hello>(arm, greeting())) return true;
    worker.reset();  // one that has not been greeted is not to be asked for more
    return false;
  }

  /// All there is to a case that is not timed.
  void find_fit(Problem& problem, Arm& arm) {
    tell(problem, arm, "asking what fits");
    if (!greet(arm)) return;
    const Case& c = problem.planned->problem;
    if (!ask<answer::Ready>(arm, request::Prepare{.problem = c, .seed = measure_.seed, .cold = false}))
      return;
    // It tries many sizes, the largest of which take long.
    auto found = ask<Fit>(arm, request::Fit{}, 10 * measure_.timeout_seconds);
    if (!found) return;
    record(arm).fit = std::move(found);
    end(arm, Status::ok, "");
    release(arm);
  }

  /// Prepares and verifies. Leaves the arm over if it is not to be measured.
  void ready(Problem& problem, Arm& arm, int launch) {
    const Case& c = problem.planned->problem;
    tell(problem, arm, "preparing");
    if (!greet(arm)) return;
    const auto prepared = ask<answer::Ready>(
        arm, request::Prepare{.problem = c, .seed = measure_.seed, .cold = measure_.cold_cache});
    if (!prepared) return;
    if (const std::string policy = transfer_policy(c.parameters); policy != prepared->transfer) {
      end(arm, Status::unsupported,
          fmt::format("transfer is {} and this program answers for {}", policy, prepared->transfer));
      return release(arm);
    }
    CaseResult& row = record(arm);
    if (launch > 0 && row.algorithm != prepared->algorithm) {
      row.warnings.push_back(fmt::format("a later launch chose another algorithm: {}", prepared->algorithm));
    }
    row.algorithm = prepared->algorithm;

    tell(problem, arm, "verifying");
    if (!problem.truth) {
      end(arm, Status::failed, fmt::format("cannot be verified: {}", problem.no_truth));
      return release(arm);
    }
    const auto shown = verify(problem, arm, "");
    if (!shown) return;
    if (!problem.truth->projections.empty() && shown->projections.empty() && launch == 0) {
      row.warnings.push_back(
          fmt::format("{} elements of the result were checked, not all of it", shown->elements.size()));
    }
    arm.launches.emplace_back();
    arm.spent = 0;
    arm.end = Progress::more;
    watch_gpu(arm);
    settle(arm);
  }

  /// Nothing where the arm is over: wrong, or without an answer. `when` goes before what is wrong. Of all
  /// times, the worst is kept.
  std::optional<Evidence> verify(const Problem& problem, Arm& arm, std::string_view when) {
    const Case& c = problem.planned->problem;
    auto shown = ask<Evidence>(arm, request::Verify{.elements = problem.elements});
    if (!shown) return shown;
    auto verdict = judge(*problem.truth, *shown, c.workload->tolerance(c.parameters, *problem.truth));
    const bool correct = verdict.correct;
    auto& worst = record(arm).verification;
    if (!worst || !correct || verdict.error > worst->error) worst = std::move(verdict);
    if (correct) return shown;
    arm.launches.clear();  // what is wrong has no speed
    end(arm, Status::wrong, fmt::format("{}{}", when, worst->detail));
    release(arm);
    return std::nullopt;
  }

  /// Whole trainings, where the case asks for epochs or an accuracy: an epoch of each arm in turn.
  void train(Problem& problem) {
    const Parameters& p = problem.planned->problem.parameters;
    if (p.find("epochs") == nullptr) return;
    constexpr std::int64_t patience = 100;
    const std::int64_t epochs = p.integer("epochs");
    const double target = p.number("target_accuracy");
    if (epochs == 0 && target == 0) return;
    std::vector<Arm*> going;
    for (Arm& arm : problem.arms) {
      if (!arm.over) going.push_back(&arm);
    }
    for (std::int64_t epoch = 0; epoch < (epochs > 0 ? epochs : patience) && !going.empty(); ++epoch) {
      for (const std::size_t i : random_order(going.size(), generator_)) {
        Arm& arm = *going[i];
        tell(problem, arm, fmt::format("training, epoch {}", epoch + 1));
        // An epoch of a slow network outlasts what a hang is told by elsewhere.
        const auto done = ask<answer::Epoch>(arm, request::Epoch{}, 60 * measure_.timeout_seconds);
        if (!done) continue;
        CaseResult& row = record(arm);
        if (!row.training) row.training.emplace();
        add_losses(*row.training, done->losses);
        row.training->epoch_seconds.push_back(done->seconds);
        row.training->epoch_accuracy.push_back(done->accuracy);
        row.training->accuracy = done->accuracy;
        if (target > 0 && done->accuracy >= target && !row.training->seconds_to_accuracy) {
          const auto& seconds = row.training->epoch_seconds;
          row.training->seconds_to_accuracy = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        }
        settle(arm);
      }
      std::erase_if(going, [&](const Arm* arm) {
        return arm->over || (epochs == 0 && record(*arm).training->seconds_to_accuracy);
      });
    }
    for (const Arm* arm : going) {
      if (target > 0 && !arm->over && !record(*arm).training->seconds_to_accuracy) {
        record(*arm).warnings.push_back(fmt::format("the target accuracy of {:g} was not reached", target));
      }
    }
  }

  std::optional<answer::Sample> take_sample(Arm& arm, std::int64_t iterations,
                                            const std::function<void()>& meanwhile = {}) {
    return checked(arm, iterations,
                   ask<answer::Sample>(arm, request::Sample{.iterations = iterations}, {}, meanwhile));
  }

  std::optional<answer::Sample> checked(Arm& arm, std::int64_t iterations, std::optional<answer::Sample> s) {
    if (!s || s->iterations == iterations) return s;
    end(arm, Status::failed,
        fmt::format("broke the protocol: ran {} iterations where {} were asked for", s->iterations,
                    iterations));
    return std::nullopt;
  }

  /// How many iterations make a sample. The first call is cold and is not counted from.
  void calibrate(const Problem& problem, Arm& arm) {
    tell(problem, arm, "warming up");
    std::int64_t iterations = 1;
    for (int round = 0; round < 4; ++round) {
      const auto start = Clock::now();
      const auto s = take_sample(arm, iterations);
      if (!s) return;
      note_losses(arm, *s);
      const double request_seconds = seconds_since(start);
      settle(arm);
      note_cost(arm, *s, seconds_since(start));
      if (round == 0) {
        // A call that is longer than the case's time is not made twice for nothing.
        if (s->seconds > measure_.max_seconds) break;
        continue;
      }
      const std::int64_t wanted = iterations_for(sample_length(turn_costs_[arm.backend->name]), s->seconds,
                                                 request_seconds / static_cast<double>(iterations));
      // Close enough: another round would not change it by much.
      if (wanted < 2 * iterations) {
        iterations = wanted;
        break;
      }
      // Short calls are estimated again from more of them: one alone is mostly clock and cache.
      iterations = round == 1 ? std::max<std::int64_t>(1, wanted / 10) : wanted;
    }
    arm.iterations = iterations;
  }

  void sample(Problem& problem) {
    std::vector<Arm*> going;
    for (Arm& arm : problem.arms) {
      if (!arm.over) going.push_back(&arm);
    }
    if (going.empty()) return;
    const auto begun = Clock::now();
    auto told = begun;
    Sampling& sampling = result_.sampling ? *result_.sampling : result_.sampling.emplace();
    while (!going.empty() && !Interruption::requested()) {
      for (const std::size_t i : random_order(going.size(), generator_)) {
        Arm& arm = *going[i];
        const auto start = Clock::now();
        const auto s = arm.watch ? take_watched_sample(arm) : take_sample(arm, arm.iterations);
        if (!s) continue;
        keep(arm, *s);
        sampling.sample_seconds += s->seconds * static_cast<double>(s->iterations);
        arm.spent += seconds_since(start);
        arm.end = arm.watch ? progress_of_watched(arm) : progress(arm.launches, arm.spent, measure_);
        settle(arm);  // last: its threads go to sleep while the decision is worked out
        note_cost(arm, *s, seconds_since(start));
        if (arm.end == Progress::more && arm.throttling.in_a_row > 0) rest(problem, arm);
        // Nobody reads faster, and an interval takes as long as a few messages.
        if (seconds_since(told) > 0.1) {
          tell(problem, arm, "sampling");
          told = Clock::now();
        }
      }
      std::erase_if(going, [](const Arm* arm) { return arm->over || arm->end != Progress::more; });
    }
    sampling.wall_seconds += seconds_since(begun);
  }

  void keep(Arm& arm, const answer::Sample& s) {
    arm.launches.back().push_back(s.seconds);
    arm.answers.push_back(s);
    arm.answers.back().losses = {};
    note_losses(arm, s);
  }

  /// What a turn took beside its sample; only where all else that it did was to ask for it.
  void note_cost(const Arm& arm, const answer::Sample& s, double turn_seconds) {
    if (measure_.cold_cache || s.device_seconds || !s.latencies.empty()) return;
    constexpr std::size_t kept = 31;
    std::vector<double>& costs = turn_costs_[arm.backend->name];
    if (costs.size() == kept) costs.erase(costs.begin());
    costs.push_back(turn_seconds - s.seconds * static_cast<double>(s.iterations));
  }

  /// A training that ran for epochs keeps their curve alone.
  void note_losses(const Arm& arm, const answer::Sample& s) {
    if (s.losses.empty()) return;
    auto& training = record(arm).training;
    if (training && !training->epoch_seconds.empty()) return;
    if (!training) training.emplace();
    add_losses(*training, s.losses);
  }

  void release(Arm& arm) {
    std::string reason;
    ask<answer::Done>(workers_[arm.backend->name], request::Release{}, reason);
  }

  // ---- GPUs

  void watch_gpu(Arm& arm) {
    arm.throttling.in_a_row = 0;
    arm.throttling.rested = 0;
    if (arm.watch || arm.backend->device_id.empty()) return;
    arm.watch.emplace(nvml_.value(), arm.backend->device_id,
                      [this](std::int64_t pid) { return is_ours(pid); });
  }

  /// Whether a process is one of this run's, or was started by one: each has a process group of its own.
  bool is_ours(std::int64_t pid) const {
    const pid_t group = getpgid(static_cast<pid_t>(pid));
    const auto leads = [&](const std::unique_ptr<WorkerProcess>& worker) {
      return worker && worker->pid() == group;
    };
    return group > 0 &&
           (leads(arbiter_) || std::any_of(workers_.begin(), workers_.end(),
                                           [&](const auto& worker) { return leads(worker.second); }));
  }

  std::optional<answer::Sample> take_watched_sample(Arm& arm) {
    arm.watch->begin();
    auto s = take_sample(arm, arm.iterations, [&] { arm.watch->look(); });
    if (!s) return s;
    const auto causes = arm.watch->end();
    if (causes.empty()) {
      arm.throttling.in_a_row = 0;
    } else {
      arm.throttling.note(std::ssize(arm.answers), causes);
    }
    return s;
  }

  Progress progress_of_watched(const Arm& arm) const {
    return progress(deciding_samples(arm.launches, arm.throttling), arm.spent, measure_);
  }

  /// Lets the GPU cool down before its next sample. The other arms wait, too: one of them may use the same
  /// GPU.
  void rest(const Problem& problem, Arm& arm) {
    const double seconds = rest_seconds(arm.throttling, measure_);
    if (seconds <= 0) return;
    tell(problem, arm, "letting the GPU rest");
    const auto start = Clock::now();
    while (seconds_since(start) < seconds && !Interruption::requested())
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::clamp(seconds - seconds_since(start), 0.0, 0.05)));
    arm.throttling.rested += seconds_since(start);
    arm.spent += seconds_since(start);
  }

  /// The energy of seconds of work, which is no timing sample: the counters move too seldom for those.
  void measure_energy(Problem& problem) {
    for (Arm& arm : problem.arms) {
      if (arm.over || !arm.watch || arm.launches.back().empty() || Interruption::requested()) continue;
      arm.joules.unknown = why_no_energy(arm);
      if (!arm.joules.unknown.empty()) continue;
      tell(problem, arm, "measuring energy");
      const double each = median(arm.launches.back());
      const std::int64_t iterations = energy_iterations(measure_.energy_seconds, each);
      const auto before = arm.watch->settled_joules();
      if (!before) {
        arm.joules.unknown = before.unknown;
        continue;
      }
      const double expected = each * static_cast<double>(iterations);
      const auto s =
          checked(arm, iterations,
                  ask<answer::Sample>(arm, request::Sample{.iterations = iterations, .device_seconds = false},
                                      measure_.timeout_seconds + 2 * expected));
      if (!s) continue;
      const auto after = arm.watch->settled_joules();
      settle(arm);
      if (!after) {
        arm.joules.unknown = after.unknown;
      } else if (s->device_seconds) {
        arm.joules.unknown = "the backend did further runs for device_seconds, though it was told not to";
      } else {
        arm.joules.value = (*after - *before) / static_cast<double>(iterations);
      }
    }
  }

  /// Why the energy of this arm's work cannot be told from what the counter says; empty where it can.
  std::string why_no_energy(const Arm& arm) const {
    if (measure_.energy_seconds == 0) return "not asked for (measure.energy_seconds is 0)";
    if (measure_.cold_cache) return "flushing caches between iterations uses energy, too";
    for (const Gpu& gpu : result_.host.gpus) {
      if (gpu.id == arm.backend->device_id && gpu.mig.value_or(false))
        return "the GPU is divided into instances (MIG), and its counter is of all of them";
    }
    return "";
  }

  DeviceConditions device_conditions(const Arm& arm) const {
    DeviceConditions conditions = arm.watch->conditions();
    if (!arm.joules.unknown.empty()) conditions.unreadable["joules"] = arm.joules.unknown;
    return conditions;
  }

  /// Works out what the samples say, once all launches are done.
  void close(Problem& problem) {
    if (std::exchange(problem.closed, true)) return;
    for (Arm& arm : problem.arms) {
      CaseResult& row = record(arm);
      const std::size_t samples = arm.answers.size();
      std::erase_if(arm.launches, [](const auto& launch) { return launch.empty(); });
      if (!arm.launches.empty()) {
        row.seconds = summarise(arm.launches, arm.iterations, arm.throttling.samples);
        summarise_answers(arm, row);
        for (auto& w : timing_warnings(*row.seconds, arm.end, measure_)) row.warnings.push_back(std::move(w));
        for (auto& w : condition_warnings(row.conditions)) row.warnings.push_back(std::move(w));
        for (auto& w : throttling_warnings(arm.throttling, samples)) row.warnings.push_back(std::move(w));
      }
      if (arm.busy_when_idle)
        row.warnings.emplace_back(
            "its threads were still busy 50 ms after a sample: they disturb the other backends");
      if (!arm.over && arm.end != Progress::more) {
        row.status = Status::ok;
        row.reason.clear();
        arm.over = true;
        ++cases_done_;
      } else if (!arm.over && !arm.launches.empty()) {
        row.reason = "interrupted";
      }
      arm.answers = {};
      arm.watch.reset();
    }
    problem.truth.reset();
  }

  /// What the samples that count say beside their times.
  static void summarise_answers(const Arm& arm, CaseResult& row) {
    std::vector<double> cpu_seconds, device_seconds, joules, latencies;
    for (const std::size_t i : counted_indices(arm.answers.size(), arm.throttling.samples)) {
      const answer::Sample& s = arm.answers[i];
      if (s.cpu_seconds) cpu_seconds.push_back(*s.cpu_seconds);
      if (s.device_seconds) device_seconds.push_back(*s.device_seconds);
      if (s.joules) joules.push_back(*s.joules);
      latencies.insert(latencies.end(), s.latencies.begin(), s.latencies.end());
    }
    row.cpu_seconds = median_of(cpu_seconds);
    row.device_seconds = median_of(device_seconds);
    row.joules = arm.joules ? arm.joules.value : median_of(joules);
    if (latencies.empty()) return;
    row.latency = Latency{
        .p50 = quantile(latencies, 0.5), .p99 = quantile(latencies, 0.99), .count = std::ssize(latencies)};
  }

  // ---- talking to workers

  std::unique_ptr<WorkerProcess> start(const BackendRecord& backend) const {
    return std::make_unique<WorkerProcess>(backend.program, worker_options(plan_.threads));
  }
  Request greeting() const { return request::Hello{.protocol = protocol_version, .threads = plan_.threads}; }

  /// The answer; or nothing and the reason. A lost worker is forgotten, to be started afresh.
  template <typename T>
  std::optional<T> ask(std::unique_ptr<WorkerProcess>& worker, const Request& request, std::string& reason,
                       Status* status = nullptr, std::optional<double> timeout = {},
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
      if (status != nullptr) *status = parse_status(refusal->status).value_or(Status::failed);
      return std::nullopt;
    }
    const auto& lost = std::get<WorkerLost>(asked);
    reason = lost.reason;
    if (status != nullptr) *status = lost.status;
    worker.reset();
    return std::nullopt;
  }

  /// The same for an arm: what is no answer ends it.
  template <typename T>
  std::optional<T> ask(Arm& arm, const Request& request, std::optional<double> timeout = {},
                       const std::function<void()>& meanwhile = {}) {
    std::string reason;
    Status status = Status::failed;
    auto answered = ask<T>(workers_[arm.backend->name], request, reason, &status, timeout, meanwhile);
    if (!answered) end(arm, status, reason);
    return answered;
  }

  void end(Arm& arm, Status status, const std::string& reason) {
    CaseResult& row = record(arm);
    row.status = status;
    row.reason = reason;
    arm.over = true;
    ++cases_done_;
  }

  /// Nobody samples while another's threads still spin.
  void settle(Arm& arm) {
    const auto& worker = workers_[arm.backend->name];
    if (worker && !worker->wait_until_quiet()) arm.busy_when_idle = true;
  }

  double own_cpu_seconds() const {
    double sum = cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
    for (const auto& [backend, worker] : workers_) sum += worker ? worker->cpu_seconds().value_or(0) : 0;
    return sum + (arbiter_ ? arbiter_->cpu_seconds().value_or(0) : 0);
  }

  // ---- telling people

  void tell(const Problem& problem, const Arm& arm, std::string activity) const {
    SessionProgress progress{.cases_done = cases_done_,
                             .cases_total = result_.cases.size(),
                             .id = problem.planned->problem.id(),
                             .backend = arm.backend->name,
                             .activity = std::move(activity),
                             .median = {},
                             .half_width = {},
                             .seconds_left = seconds_left_};
    if (!arm.launches.empty() && !arm.launches.back().empty()) {
      progress.median = median(arm.launches.back());
      if (const auto interval = median_interval(arm.launches.back())) {
        progress.half_width = relative_half_width(*interval, *progress.median);
      }
    }
    show_(progress);
  }

  /// The problems still to come, each as long as those of its workload were so far; as long as its arms may
  /// take where none has been measured.
  double seconds_left() const {
    double left = 0;
    const std::size_t all = problems_.size() * static_cast<std::size_t>(measure_.launches);
    for (std::size_t i = measurements_done_; i < all; ++i) {
      const Problem& problem = problems_[i % problems_.size()];
      const auto known = durations_.find(problem.planned->problem.workload);
      if (known != durations_.end()) {
        left += known->second.sum / known->second.count;
      } else {
        left += static_cast<double>(problem.arms.size()) * measure_.max_seconds / measure_.launches;
      }
    }
    return left;
  }

  const SessionPlan& plan_;
  const Measure& measure_;
  const std::function<void(const Result&, std::size_t)>& save_;
  const std::function<void(const SessionProgress&)>& show_;
  std::mt19937_64 generator_;
  Result result_;
  std::optional<Nvml> nvml_;  // where a backend computes on a GPU; goes after the arms that watch one
  std::vector<Problem> problems_;
  std::map<std::string, std::unique_ptr<WorkerProcess>> workers_;
  std::map<std::string, std::vector<double>> turn_costs_;  // seconds, by backend: the latest
  std::unique_ptr<WorkerProcess> arbiter_;
  std::map<const Workload*, Durations> durations_;
  double seconds_left_ = 0;
  std::size_t measurements_done_ = 0;
  std::size_t cases_done_ = 0;
};

}  // namespace

Result run_session(const SessionPlan& plan, const std::function<void(const Result&, std::size_t)>& save,
                   const std::function<void(const SessionProgress&)>& show) {
  return Session(plan, save, show).run();
}

int exit_status(const Result& result) {
  const auto any = [&](std::initializer_list<Status> statuses) {
    return std::any_of(result.cases.begin(), result.cases.end(), [&](const CaseResult& c) {
      return std::find(statuses.begin(), statuses.end(), c.status) != statuses.end();
    });
  };
  if (any({Status::wrong, Status::implausible})) return 1;
  if (any({Status::failed, Status::timed_out, Status::out_of_memory, Status::interrupted})) return 4;
  return 0;
}

}  // namespace breakeven
