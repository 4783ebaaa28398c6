#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "session/clock.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/gpu.h"
#include "session/schedule.h"
#include "session/time_left.h"
#include "session/workbench.h"
#include "session/worker_process.h"
#include "statistics/summary.h"
#include "verdicts/roofline.h"
#include "version.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

RunStep describe_step(const Case& problem, std::size_t backends) {
  const Value* epochs = problem.parameters.find("epochs");
  const Value* target = problem.parameters.find("target_accuracy");
  const bool has_goal = (epochs != nullptr && problem.parameters.integer("epochs") > 0) ||
                        (target != nullptr && problem.parameters.number("target_accuracy") > 0);
  const Value* network = problem.parameters.find("network");
  // Training to a goal takes as long as it takes: single steps say nothing of it.
  return {.kind = fmt::format("{}{}", problem.workload->op(), has_goal ? " to a goal" : ""),
          .variant = network != nullptr ? problem.parameters.text("network") : "",
          .work = problem.flop(),
          .backends = static_cast<double>(backends)};
}

/// Cases by (id, backend). The names are the cases' own and must outlive it.
using CaseKey = std::pair<std::string_view, std::string_view>;
using CaseIndex = std::map<CaseKey, const CaseResult*>;

class Session {
 public:
  Session(const SessionPlan& plan, const std::function<void(const Result&, std::size_t)>& save,
          const std::function<void(const SessionProgress&)>& show)
      : plan_(plan),
        measure_(plan.config.measure),
        save_(save),
        show_(show),
        generator_(measure_.seed),
        bench_(measure_, plan.threads, plan.arbiter,
               [this](const MeasuredProblem& problem, const Arm& arm, const std::string& activity) {
                 tell(problem, arm, activity);
               }) {}

  Result run() {
    begin();
    for (int launch = 0; launch < measure_.launches && !Interruption::requested(); ++launch) {
      bench_.begin_launch();
      for (std::size_t p = 0; p < problems_.size() && !Interruption::requested(); ++p) {
        const auto start = Clock::now();
        measure(problems_[p], launch);
        if (launch + 1 == measure_.launches) close(problems_[p]);
        steps_[static_cast<std::size_t>(launch) * problems_.size() + p].seconds = seconds_since(start);
        countdown_.update(seconds_since(begun_), estimate_seconds_left(steps_));
        save_(result_, static_cast<std::size_t>(problems_[p].arms.front().row - result_.cases.data()));
      }
    }
    bench_.end();
    for (MeasuredProblem& problem : problems_) close(problem);  // what an interruption left open
    if (optimised) mark_implausible(result_);  // the ceilings of a build that is not are none
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
    warn_of_build(result_.warnings);
    result_.host = describe_host(plan_.threads);
    warn_of_environment(result_.host, result_.warnings);
    result_.host.gpus = describe_gpus(plan_.backends, bench_.nvml());
    result_.config = plan_.config.json;
    result_.backends = plan_.backends;
    CaseIndex earlier;
    if (plan_.earlier) {
      for (const auto& c : plan_.earlier->cases) earlier.emplace(CaseKey(c.id, c.backend), &c);
    }
    for (const auto& backend : plan_.backends) {
      participants_.push_back({.key = backend.name,
                               .backend = backend,
                               .options = worker_options(plan_.threads),
                               .threads = plan_.threads});
    }
    problems_.reserve(plan_.config.cases.size());
    // Arms point at their rows, which must stay where they are.
    result_.cases.reserve(plan_.config.cases.size() * plan_.backends.size() +
                          (plan_.earlier ? plan_.earlier->cases.size() : 0));
    for (const auto& planned : plan_.config.cases) {
      MeasuredProblem problem{
          .planned = &planned, .elements = {}, .truth = {}, .no_truth = {}, .arms = {}, .closed = false};
      const std::string id = planned.problem.id();
      for (const Participant& participant : participants_) {
        const BackendRecord& backend = participant.backend;
        if (!backend.available || !takes_part(backend, planned.problem)) continue;
        if (const auto old = earlier.find({id, backend.name}); old != earlier.end()) {
          const CaseResult& known = *old->second;
          earlier.erase(old);
          if (known.status != Status::interrupted) {
            result_.cases.push_back(known);
            continue;
          }
        }
        Arm& arm = problem.arms.emplace_back();
        arm.participant = &participant;
        arm.row = &result_.cases.emplace_back(empty_case(planned, id, backend));
        warn_of_backend(backend, result_.warnings);
      }
      if (!problem.arms.empty()) problems_.push_back(std::move(problem));
    }
    keep_unasked(earlier);
    steps_.reserve(problems_.size() * static_cast<std::size_t>(measure_.launches));
    for (int launch = 0; launch < measure_.launches; ++launch) {
      for (const MeasuredProblem& problem : problems_)
        steps_.push_back(describe_step(problem.planned->problem, problem.arms.size()));
    }
  }

  /// A backend that nobody named and that lacks an operation would say so at every problem: those that have
  /// it are asked, and all where none has it.
  bool takes_part(const BackendRecord& backend, const Case& problem) const {
    const auto can = [&](const BackendRecord& b) {
      return b.available && b.has_operation(problem.workload->op());
    };
    return plan_.backends_are_named || can(backend) ||
           std::none_of(plan_.backends.begin(), plan_.backends.end(), can);
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

  void measure(MeasuredProblem& problem, int launch) {
    const HostCounters before = read_counters();
    const double own_before = bench_.own_cpu_seconds();
    if (!problem.planned->problem.workload->is_timed()) {
      for (Arm& arm : problem.arms) {
        if (!arm.over) find_fit(problem, arm);
      }
      return;
    }
    bench_.find_truth(problem);
    for (Arm& arm : problem.arms) {
      if (!arm.over) bench_.ready(problem, arm, launch);
    }
    if (launch == 0) train(problem);
    for (Arm& arm : problem.arms) {
      if (!arm.over) bench_.calibrate(problem, arm);
    }
    sample(problem);
    if (launch + 1 == measure_.launches) measure_energy(problem);
    const HostCounters after = read_counters();
    for (Arm& arm : problem.arms) {
      if (!arm.over && !Interruption::requested()) {
        bench_.verify_again(problem, arm);
      }
      if (!arm.over) bench_.release(arm);
      arm.row->conditions = conditions_between(before, after, bench_.own_cpu_seconds() - own_before);
      arm.row->conditions.cpus = bench_.cpus_held(arm);
      if (arm.watch) arm.row->conditions.device = device_conditions(arm);
    }
  }

  // ---- the steps of measure()

  /// All there is to a case that is not timed.
  void find_fit(MeasuredProblem& problem, Arm& arm) {
    tell(problem, arm, "asking what fits");
    const Case& c = problem.planned->problem;
    if (!bench_.greet(arm, c)) return;
    if (!bench_.ask<answer::Ready>(arm, request::Prepare{.problem = c, .seed = measure_.seed, .cold = false}))
      return;
    // It tries many sizes, the largest of which take long.
    auto found = bench_.ask<Fit>(arm, request::Fit{}, 10 * measure_.timeout_seconds);
    if (!found) return;
    arm.row->fit = std::move(found);
    bench_.end(arm, Status::ok, "");
    bench_.release(arm);
  }

  /// Whole trainings, where the case asks for epochs or an accuracy: an epoch of each arm in turn.
  void train(MeasuredProblem& problem) {
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
        const auto done = bench_.ask<answer::Epoch>(arm, request::Epoch{}, 60 * measure_.timeout_seconds);
        if (!done) continue;
        CaseResult& row = *arm.row;
        if (!row.training) row.training.emplace();
        add_losses(*row.training, done->losses);
        row.training->epoch_seconds.push_back(done->seconds);
        row.training->epoch_accuracy.push_back(done->accuracy);
        row.training->accuracy = done->accuracy;
        if (target > 0 && done->accuracy >= target && !row.training->seconds_to_accuracy) {
          const auto& seconds = row.training->epoch_seconds;
          row.training->seconds_to_accuracy = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        }
        bench_.settle(arm);
      }
      std::erase_if(going, [&](const Arm* arm) {
        return arm->over || (epochs == 0 && arm->row->training->seconds_to_accuracy);
      });
    }
    for (const Arm* arm : going) {
      if (target > 0 && !arm->over && !arm->row->training->seconds_to_accuracy) {
        arm->row->warnings.push_back(fmt::format("the target accuracy of {:g} was not reached", target));
      }
    }
  }

  void sample(MeasuredProblem& problem) {
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
        const auto s = bench_.take_sample(arm);
        if (!s) continue;
        bench_.keep(arm, *s);
        sampling.sample_seconds += s->seconds * static_cast<double>(s->iterations);
        arm.spent += seconds_since(start);
        arm.end = arm.watch ? progress_of_watched(arm) : progress(arm.launches, arm.spent, measure_);
        bench_.settle(arm);  // last: its threads go to sleep while the decision is worked out
        bench_.note_cost(arm, *s, seconds_since(start));
        if (arm.end == Progress::more) bench_.rest(problem, arm);
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

  // ---- GPUs

  Progress progress_of_watched(const Arm& arm) const {
    return progress(deciding_samples(arm.launches, arm.throttling), arm.spent, measure_);
  }

  void measure_energy(MeasuredProblem& problem) {
    for (Arm& arm : problem.arms) {
      if (!arm.over && !Interruption::requested()) bench_.measure_energy(problem, arm, result_.host.gpus);
    }
  }

  DeviceConditions device_conditions(const Arm& arm) const {
    DeviceConditions conditions = arm.watch->conditions();
    if (!arm.joules.unknown.empty()) conditions.unreadable["joules"] = arm.joules.unknown;
    return conditions;
  }

  /// Works out what the samples say, once all launches are done.
  void close(MeasuredProblem& problem) {
    if (std::exchange(problem.closed, true)) return;
    for (Arm& arm : problem.arms) {
      CaseResult& row = *arm.row;
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
        ++done_;
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

  // ---- telling people

  void tell(const MeasuredProblem& problem, const Arm& arm, std::string activity) const {
    SessionProgress progress{.cases_done = bench_.ended() + done_,
                             .cases_total = result_.cases.size(),
                             .id = problem.planned->problem.id(),
                             .backend = arm.participant->backend.name,
                             .activity = std::move(activity),
                             .median = {},
                             .half_width = {},
                             .seconds_left = countdown_.left(seconds_since(begun_))};
    if (!arm.launches.empty() && !arm.launches.back().empty()) {
      progress.median = median(arm.launches.back());
      if (const auto interval = median_interval(arm.launches.back())) {
        progress.half_width = relative_half_width(*interval, *progress.median);
      }
    }
    show_(progress);
  }

  const SessionPlan& plan_;
  const Measure& measure_;
  const std::function<void(const Result&, std::size_t)>& save_;
  const std::function<void(const SessionProgress&)>& show_;
  std::mt19937_64 generator_;
  Result result_;
  Workbench bench_;
  std::vector<Participant> participants_;
  std::vector<MeasuredProblem> problems_;  // goes before what its arms use
  const Clock::time_point begun_ = Clock::now();
  std::vector<RunStep> steps_;  // every problem in every launch, in order
  Countdown countdown_;
  std::size_t done_ = 0;  // measured to the end
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
