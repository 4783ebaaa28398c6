#include "session/workbench.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "host/cpu.h"
#include "session/clock.h"
#include "session/discovery.h"
#include "session/heeded.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

double cpu_seconds_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/// CPUs to place `threads` threads on, of as many cores as there are; none where there are too few for one
/// each.
std::vector<int> cpus_for(int threads) {
  const auto allowed = allowed_cpus();
  auto cpus = cpu_of_each_core(allowed);
  for (const int cpu : allowed) {
    if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) cpus.push_back(cpu);
  }
  if (std::ssize(cpus) < threads) return {};
  cpus.resize(static_cast<std::size_t>(threads));
  return cpus;
}

Request greeting(int threads) {
  return request::Hello{.protocol = protocol_version, .threads = threads};
}

}  // namespace

CaseResult empty_case(const PlannedCase& planned, const std::string& id, const BackendRecord& backend) {
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

void Workbench::find_truth(MeasuredProblem& problem) {
  if (problem.truth || !problem.no_truth.empty()) return;
  const Case& c = problem.planned->problem;
  problem.elements = elements_to_check(c.workload->output(c.parameters).elements(), measure_.seed);
  if (!arbiter_record_) {
    problem.no_truth = "there is no reference backend: breakeven-backend-reference is not beside the driver";
    return;
  }
  Status status = Status::failed;
  if (!arbiter_) {
    arbiter_ = std::make_unique<WorkerProcess>(arbiter_record_->program, worker_options(arbiter_threads_));
    if (!ask<answer::Hello>(arbiter_, greeting(arbiter_threads_), problem.no_truth, status)) {
      arbiter_.reset();
      return;
    }
  }
  if (auto truth = ask<Evidence>(
          arbiter_, request::Expect{.problem = c, .seed = measure_.seed, .elements = problem.elements},
          problem.no_truth, status)) {
    problem.truth = std::move(*truth);
  }
  if (arbiter_) arbiter_->wait_until_quiet();
}

void Workbench::begin_launch() {
  placements_.clear();
  workers_.clear();
}

bool Workbench::greet(Arm& arm, const Case& problem) {
  const BackendRecord& backend = arm.participant->backend;
  if (const auto op = problem.workload->op(); !backend.has_operation(op)) {
    // Not to be asked: a program that is older than the operation takes it for a mistake of the driver's.
    end(arm, Status::unsupported, fmt::format("{} has no {}", backend.name, op));
    return false;
  }
  auto& worker = workers_[arm.participant->key];
  if (worker) return true;
  worker = std::make_unique<WorkerProcess>(arm.participant->backend.program, arm.participant->options);
  if (ask<answer::Hello>(arm, greeting(arm.participant->threads))) {
    // Cold caches are flushed by threads of the worker's own on every CPU.
    if (measure_.placed && !measure_.cold_cache && backend.device == "cpu")
      placements_[arm.participant->key] =
          std::make_unique<Placement>(worker->pid(), allowed_cpus(), cpus_for(arm.participant->threads));
    return true;
  }
  worker.reset();  // one that has not been greeted is not to be asked for more
  return false;
}

void Workbench::ready(MeasuredProblem& problem, Arm& arm, int launch) {
  const Case& c = problem.planned->problem;
  tell_(problem, arm, "preparing");
  if (!greet(arm, c)) return;
  if (Placement* places = placement(arm)) places->undo();
  const auto prepared = ask<answer::Ready>(
      arm, request::Prepare{.problem = c, .seed = measure_.seed, .cold = measure_.cold_cache});
  if (!prepared) return;
  if (const std::string why = not_heeded(c, *prepared); !why.empty()) {
    end(arm, Status::unsupported, why);
    return release(arm);
  }
  CaseResult& row = *arm.row;
  const std::string algorithm = algorithm_text(*prepared);
  if (launch > 0 && row.algorithm != algorithm)
    row.warnings.push_back(fmt::format("a later launch chose another algorithm: {}", algorithm));
  row.algorithm = algorithm;

  tell_(problem, arm, "verifying");
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

std::optional<Evidence> Workbench::verify(const MeasuredProblem& problem, Arm& arm, std::string_view when) {
  const Case& c = problem.planned->problem;
  auto shown = ask<Evidence>(arm, request::Verify{.elements = problem.elements});
  if (!shown) return shown;
  auto verdict = judge(*problem.truth, *shown, c.workload->tolerance(c.parameters, *problem.truth));
  const bool correct = verdict.correct;
  auto& worst = arm.row->verification;
  if (!worst || !correct || verdict.error > worst->error) worst = std::move(verdict);
  if (correct) return shown;
  arm.launches.clear();  // what is wrong has no speed
  end(arm, Status::wrong, fmt::format("{}{}", when, worst->detail));
  release(arm);
  return std::nullopt;
}

std::optional<answer::Sample> Workbench::take_sample(Arm& arm, std::int64_t iterations) {
  return checked(arm, iterations, ask<answer::Sample>(arm, request::Sample{.iterations = iterations}));
}

std::optional<answer::Sample> Workbench::take_sample(Arm& arm) {
  if (!arm.watch) return take_sample(arm, arm.iterations);
  arm.watch->begin();
  auto s = checked(arm, arm.iterations,
                   ask<answer::Sample>(arm, request::Sample{.iterations = arm.iterations}, {},
                                       [&] { arm.watch->look(); }));
  if (!s) return s;
  const auto causes = arm.watch->end();
  if (causes.empty()) {
    arm.throttling.in_a_row = 0;
  } else {
    arm.throttling.note(std::ssize(arm.answers), causes);
  }
  return s;
}

std::optional<answer::Sample> Workbench::checked(Arm& arm, std::int64_t iterations,
                                                 std::optional<answer::Sample> s) {
  if (!s || s->iterations == iterations) return s;
  end(arm, Status::failed,
      fmt::format("broke the protocol: ran {} iterations where {} were requested", s->iterations,
                  iterations));
  return std::nullopt;
}

void Workbench::calibrate(const MeasuredProblem& problem, Arm& arm) {
  tell_(problem, arm, "warming up");
  std::int64_t iterations = 1;
  for (int round = 0; round < 4; ++round) {
    watch_threads(arm);
    const auto start = Clock::now();
    const auto s = take_sample(arm, iterations);
    if (!s) return;
    note_losses(arm, *s);
    const double request_seconds = seconds_since(start);
    settle(arm);
    note_cost(arm, *s, seconds_since(start));
    place_threads(arm, *s);
    if (round == 0) {
      // A call that is longer than the case's time is not made twice for nothing.
      if (s->seconds > measure_.max_seconds) break;
      continue;
    }
    const std::int64_t wanted = iterations_for(sample_length(turn_costs_[arm.participant->key]), s->seconds,
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

void Workbench::warm_up(Arm& arm) {
  for (int round = 0; round < 2 && !arm.over; ++round) {
    watch_threads(arm);
    const auto s = take_sample(arm);
    settle(arm);
    if (s) place_threads(arm, *s);
  }
}

void Workbench::watch_threads(const Arm& arm) {
  if (Placement* places = placement(arm))
    places->watch(workers_[arm.participant->key]->cpu_seconds().value_or(0));
}

void Workbench::place_threads(const Arm& arm, const answer::Sample& s) {
  if (Placement* places = placement(arm))
    places->place(s.seconds * static_cast<double>(s.iterations),
                  workers_[arm.participant->key]->cpu_seconds().value_or(0));
}

void Workbench::keep(Arm& arm, const answer::Sample& s) {
  arm.launches.back().push_back(s.seconds);
  arm.answers.push_back(s);
  arm.answers.back().losses = {};
  note_losses(arm, s);
}

bool Workbench::rest(const MeasuredProblem& problem, Arm& arm) {
  const double seconds = rest_seconds(arm.throttling, measure_);
  if (seconds <= 0) return false;
  tell_(problem, arm, "letting the GPU rest");
  const auto start = Clock::now();
  while (seconds_since(start) < seconds && !Interruption::requested())
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::clamp(seconds - seconds_since(start), 0.0, 0.05)));
  arm.throttling.rested += seconds_since(start);
  arm.spent += seconds_since(start);
  return true;
}

void Workbench::note_cost(const Arm& arm, const answer::Sample& s, double turn_seconds) {
  if (measure_.cold_cache || s.device_seconds || !s.latencies.empty()) return;
  constexpr std::size_t kept = 31;
  std::vector<double>& costs = turn_costs_[arm.participant->key];
  if (costs.size() == kept) costs.erase(costs.begin());
  costs.push_back(turn_seconds - s.seconds * static_cast<double>(s.iterations));
}

/// A training that ran for epochs keeps their curve alone.
void Workbench::note_losses(const Arm& arm, const answer::Sample& s) {
  if (s.losses.empty()) return;
  auto& training = arm.row->training;
  if (training && !training->epoch_seconds.empty()) return;
  if (!training) training.emplace();
  add_losses(*training, s.losses);
}

std::string Workbench::why_no_energy(const Arm& arm, const std::vector<Gpu>& gpus) const {
  if (measure_.energy_seconds == 0) return "not asked for (measure.energy_seconds is 0)";
  if (measure_.cold_cache) return "flushing caches between iterations uses energy, too";
  for (const Gpu& gpu : gpus) {
    if (gpu.id == arm.participant->backend.device_id && gpu.mig.value_or(false))
      return "the GPU is divided into instances (MIG), and its counter is of all of them";
  }
  return "";
}

void Workbench::measure_energy(const MeasuredProblem& problem, Arm& arm, const std::vector<Gpu>& gpus) {
  if (!arm.watch || arm.launches.back().empty()) return;
  arm.joules.unknown = why_no_energy(arm, gpus);
  if (!arm.joules.unknown.empty()) return;
  tell_(problem, arm, "measuring energy");
  const double each = median(arm.launches.back());
  const std::int64_t iterations = energy_iterations(measure_.energy_seconds, each);
  const auto before = arm.watch->settled_joules();
  if (!before) {
    arm.joules.unknown = before.unknown;
    return;
  }
  const double expected = each * static_cast<double>(iterations);
  const auto s =
      checked(arm, iterations,
              ask<answer::Sample>(arm, request::Sample{.iterations = iterations, .device_seconds = false},
                                  measure_.timeout_seconds + 2 * expected));
  if (!s) return;
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

void Workbench::verify_again(const MeasuredProblem& problem, Arm& arm) {
  tell_(problem, arm, "verifying again");
  verify(problem, arm, "when verified again after the samples: ");
}

void Workbench::release(Arm& arm) {
  std::string reason;
  Status status = Status::failed;
  ask<answer::Done>(workers_[arm.participant->key], request::Release{}, reason, status);
}

void Workbench::watch_gpu(Arm& arm) {
  arm.throttling.in_a_row = 0;
  arm.throttling.rested = 0;
  if (arm.watch || arm.participant->backend.device_id.empty()) return;
  arm.watch.emplace(nvml_.value(), arm.participant->backend.device_id,
                    [this](std::int64_t pid) { return is_ours(pid); });
}

/// Whether a process is one of this run's, or was started by one: each has a process group of its own.
bool Workbench::is_ours(std::int64_t pid) const {
  const pid_t group = getpgid(static_cast<pid_t>(pid));
  const auto leads = [&](const std::unique_ptr<WorkerProcess>& worker) {
    return worker && worker->pid() == group;
  };
  return group > 0 &&
         (leads(arbiter_) || std::any_of(workers_.begin(), workers_.end(),
                                         [&](const auto& worker) { return leads(worker.second); }));
}

void Workbench::end() {
  placements_.clear();
  workers_.clear();
  arbiter_.reset();
}

void Workbench::end(Arm& arm, Status status, const std::string& reason) {
  CaseResult& row = *arm.row;
  row.status = status;
  row.reason = reason;
  arm.over = true;
  ++ended_;
}

void Workbench::settle(Arm& arm) {
  const auto& worker = workers_[arm.participant->key];
  if (worker && !worker->wait_until_quiet()) arm.busy_when_idle = true;
}

Placement* Workbench::placement(const Arm& arm) const {
  const auto found = placements_.find(arm.participant->key);
  return found == placements_.end() ? nullptr : found->second.get();
}

std::vector<int> Workbench::cpus_held(const Arm& arm) const {
  std::set<int> cpus;
  if (const Placement* places = placement(arm)) {
    for (const PlacedThread& one : places->placed()) cpus.insert(one.cpu);
  }
  return {cpus.begin(), cpus.end()};
}

double Workbench::own_cpu_seconds() const {
  double sum = cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
  for (const auto& [backend, worker] : workers_) sum += worker ? worker->cpu_seconds().value_or(0) : 0;
  return sum + (arbiter_ ? arbiter_->cpu_seconds().value_or(0) : 0);
}

}  // namespace breakeven
