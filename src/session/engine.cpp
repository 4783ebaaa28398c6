#include "session/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <utility>

#include "host/cache.h"
#include "host/cache_folder.h"
#include "host/cpu.h"
#include "protocol/messages.h"
#include "protocol/possible_seconds.h"
#include "results/algorithm.h"
#include "results/validation.h"
#include "session/discovery.h"
#include "session/mismatch.h"
#include "session/ranked_program.h"
#include "statistics/summary.h"
#include "verdicts/roofline.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

/// A rest is divided into sleeps of at most this many seconds, so that an interruption is noticed.
constexpr double longest_sleep = 0.05;

class SteadyTime : public TimeSource {
 public:
  double now() const override { return seconds_since(Clock::time_point()); }
  void sleep(double seconds) override { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }
  double clock_step() const override {
    static const double step = measure_step();
    return step;
  }

 private:
  /// The shortest of several advances of the clock, which is nanoseconds unless the machine's only clock is
  /// its timer interrupt.
  double measure_step() const {
    constexpr int advances = 3;
    constexpr double smallest = 20e-6;  // seconds; samples are long against smaller ones anyway
    double shortest = 1;
    constexpr int most_readings = 20'000'000;  // about a second, in which a clock that goes advances
    for (int i = 0; i < advances; ++i) {
      const double before = now();
      double after = now();
      for (int reading = 0; after <= before && reading < most_readings; ++reading) after = now();
      shortest = std::min(shortest, after - before);
    }
    return shortest < smallest ? 0 : shortest;
  }
};

/// The least share of the time of a sample without further runs on a GPU that one with them reports.
constexpr double least_share_beside_further_runs = 0.6;

/// A case's threads are chosen in at most this share of its time, unless some are timed again.
constexpr double share_of_choosing = 0.3;
/// The calls for one number of threads: two show which threads compute and how long calls take, and three are
/// compared.
constexpr int calls_before_times = 2, calls_to_time_threads = 5;
/// The length of each. A neighbour that runs for milliseconds at once leaves shorter ones alone.
constexpr double seconds_to_time_threads = 0.01;

bool takes_fewer_threads(const Contender& contender) {
  const int threads = contender.threads.value_or(0);
  return threads != 0 && threads != contender.participant->threads;
}

/// Returns null if the kernel lets no thread be pinned to these CPUs.
std::unique_ptr<SpeedProbe> make_cpu_speed_probe(const std::vector<int>& cpus) {
  if (cpus.empty()) return nullptr;
  try {
    return std::make_unique<CpuSpeedProbe>(cpus);
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// True if a request may take much longer than the time that it reports.
bool has_work_beside(const Measure& measure, const answer::Sample& sample) {
  return measure.cold_cache || sample.device_seconds || !sample.latencies.empty();
}

/// Makes it a sample of so many iterations. The others are extra work, which makes each of them longer.
void count_as(answer::Sample& sample, std::int64_t iterations) {
  if (sample.iterations == iterations) return;
  const double longer = static_cast<double>(sample.iterations) / static_cast<double>(iterations);
  sample.iterations = iterations;
  sample.seconds *= longer;
  if (!sample.latencies.empty()) sample.latencies.resize(static_cast<std::size_t>(iterations));
  for (double& latency : sample.latencies) latency *= longer;
  for (auto* amount :
       {&sample.cpu_seconds, &sample.device_seconds, &sample.joules, &sample.communication_seconds}) {
    if (*amount) **amount *= longer;
  }
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

const Instruments& real_instruments() {
  static SteadyTime time;
  static const Instruments instruments{
      .start_worker = [](const auto& program, const WorkerOptions& options) -> std::unique_ptr<Worker> {
        if (options.ranks > 1) return std::make_unique<RankedProgram>(program, options);
        return std::make_unique<WorkerProcess>(program, options);
      },
      .time = &time,
      .make_speed_probe = make_cpu_speed_probe};
  return instruments;
}

Instruments handing_over(StartedPrograms& started) {
  Instruments instruments = real_instruments();
  instruments.start_worker = started.handing_over(instruments.start_worker);
  return instruments;
}

Engine::Engine(const Measure& measure, const Instruments& instruments, int threads,
               const std::optional<BackendRecord>& reference, ReportProgress report_progress)
    : measure_(measure),
      instruments_(instruments),
      report_progress_(std::move(report_progress)),
      workers_(measure, instruments.start_worker),
      speed_(instruments.make_speed_probe && measure.needs_own_speed
                 ? instruments.make_speed_probe(cpus_for(threads))
                 : nullptr,
             *instruments.time),
      cpu_count_(static_cast<double>(std::max<std::size_t>(1, allowed_cpus().size()))),
      clock_step_(instruments.time->clock_step()) {
  if (!reference) return;
  reference_ = Participant{.key = "the reference backend",
                           .backend = *reference,
                           .options = worker_options(threads),
                           .threads = threads};
  if (std::getenv(reference_cache_variable) == nullptr)
    reference_->options.environment.emplace_back(reference_cache_variable, "1");
}

const Participant& Engine::with_ranks_of(const Case& problem, const Participant& participant) {
  const auto ranks = static_cast<int>(ranks_of(problem.parameters));
  if (ranks == 1) return participant;
  Participant made = participant;
  made.key = fmt::format("{}, {} ranks", participant.key, ranks);
  made.ranks = ranks;
  return with_ranks_.emplace(made.key, std::move(made)).first->second;
}

void Engine::close(Contender& contender, const HostUse& before, const HostUse& after) {
  note_places(contender);
  if (!contender.finished) release(contender);
  Conditions& conditions = contender.row->conditions;
  add_interval(contender.on_host, before.counters, after.counters, after.own_seconds - before.own_seconds);
  Conditions counted = conditions_of(contender.on_host);
  counted.cpus = std::move(conditions.cpus);
  counted.ranks = std::move(conditions.ranks);
  conditions = std::move(counted);
  if (!contender.watch) return;
  conditions.device = contender.watch->conditions();
  conditions.device->watts = contender.watts;
  const std::string& why = contender.joules.unknown;
  if (!why.empty()) conditions.device->unreadable["joules"] = why;
  if (!contender.watts)
    conditions.device->unreadable["watts"] = why.empty() ? "energy was not measured" : why;
}

void Engine::note_places(Contender& contender) const {
  Conditions& conditions = contender.row->conditions;
  auto cpus = workers_.cpus_held(*contender.participant);
  auto ranks = workers_.ranks_of(*contender.participant);
  // An interruption may have ended the program already; those of an earlier visit hold for its samples.
  const bool has_ended = Interruption::requested();
  if (!has_ended || !cpus.empty()) conditions.cpus = std::move(cpus);
  if (!has_ended || !ranks.empty()) conditions.ranks = std::move(ranks);
  if (workers_.is_placement_refused(*contender.participant))
    add_once(contender.warnings, {.kind = NoteKind::threads_not_held});
  for (const Note& note : workers_.notes(*contender.participant)) add_once(contender.warnings, note);
}

// ---- preparing and verifying

void Engine::compute_reference(MeasuredProblem& problem) {
  if (problem.reference || problem.no_reference) return;
  const Case& c = problem.planned->problem;
  problem.elements = elements_to_check(c.workload->output(c.parameters).elements(), measure_.seed);
  if (!reference_) {
    problem.no_reference = NoAnswer{
        .status = Status::failed,
        .reason = "there is no reference backend: breakeven-backend-reference is not beside the driver"};
    return;
  }
  problem.no_reference = workers_.start(*reference_);
  if (problem.no_reference) return;
  auto answered = workers_.ask<Evidence>(
      *reference_, request::Expect{.problem = c, .seed = measure_.seed, .elements = problem.elements});
  if (auto* reference = std::get_if<Evidence>(&answered)) {
    problem.reference = std::move(*reference);
  } else {
    problem.no_reference = std::get<NoAnswer>(answered);
  }
  workers_.wait_until_idle(*reference_);
}

bool takes(const BackendRecord& backend, const Case& problem) {
  const std::string_view op = problem.workload->op();
  return backend.has_operation(op) ||
         (op == "fits" && backend.device == "gpu" && backend.has_operation(problem.parameters.text("of")));
}

bool Engine::start_worker(Contender& contender) {
  const BackendRecord& backend = contender.participant->backend;
  if (const Case& problem = contender.problem->planned->problem; !takes(backend, problem)) {
    // The program is not asked: one that is older than the operation would report a mistake of the driver.
    finish(contender, Status::unsupported, fmt::format("{} has no {}", backend.name, problem.workload->op()));
    return false;
  }
  const auto near_cpus = [&] {
    return nvml_ && !backend.device_id.empty() ? cpus_near_gpu(*nvml_, backend.device_id, allowed_cpus())
                                               : std::vector<int>{};
  };
  if (const auto none = workers_.start(*contender.participant, near_cpus)) {
    finish(contender, none->status, none->reason);
    return false;
  }
  return true;
}

void Engine::note_algorithm(Contender& contender) {
  std::string algorithm = chosen_algorithm(algorithm_with_threads(*contender.row));
  auto& known = contender.algorithms;
  if (std::ranges::find(known, algorithm) != known.end()) return;
  known.push_back(std::move(algorithm));
  if (known.size() == 1) return;
  std::erase_if(contender.warnings,
                [](const Note& note) { return note.kind == NoteKind::several_algorithms; });
  contender.warnings.push_back({.kind = NoteKind::several_algorithms, .about = known});
}

void Engine::prepare_and_verify(Contender& contender, int launch) {
  const MeasuredProblem& problem = *contender.problem;
  const Case& c = problem.planned->problem;
  report_progress_(contender, "preparing");
  contender.choosing_seconds = 0;
  const double begun = time().now();
  if (!start_worker(contender)) return;
  const double start = time().now();
  if (!prepare(contender) || !choose_threads(contender, time().now() - start)) return;
  if (const std::string why = mismatch_of(c, *contender.ready); !why.empty()) {
    finish(contender, Status::unsupported, why);
    return release(contender);
  }
  CaseResult& row = *contender.row;
  row.algorithm = algorithm_text(*contender.ready);
  if (takes_fewer_threads(contender))
    row.threads = {.chosen = *contender.threads, .of = contender.participant->threads};
  note_algorithm(contender);

  report_progress_(contender, "verifying");
  if (!problem.reference) {
    finish(contender,
           problem.no_reference->status == Status::interrupted ? Status::interrupted : Status::failed,
           fmt::format("cannot be verified: {}", problem.no_reference->reason));
    return release(contender);
  }
  const auto shown = verify(contender, "");
  if (!shown) return;
  if (!problem.reference->projections.empty() && shown->projections.empty() && contender.visits.empty()) {
    contender.warnings.push_back(
        {.kind = NoteKind::partly_verified, .figures = {static_cast<double>(shown->elements.size())}});
  }
  contender.visits.emplace_back();
  if (std::exchange(contender.launch, launch) != launch) contender.spent = 0;
  watch_gpu(contender);
  wait_until_idle(contender);
  contender.setup_seconds = time().now() - begun - contender.choosing_seconds;
}

bool Engine::prepare(Contender& contender) {
  workers_.release_threads(*contender.participant);
  contender.ready =
      ask<answer::Ready>(contender, request::Prepare{.problem = contender.problem->planned->problem,
                                                     .seed = measure_.seed,
                                                     .cold = measure_.cold_cache,
                                                     .threads = contender.threads.value_or(0)});
  return contender.ready.has_value();
}

bool Engine::prepare_with(Contender& contender, int threads) {
  return std::exchange(contender.threads, threads) == threads || prepare(contender);
}

void Engine::reopen(Contender& contender) {
  contender.finished = false;
  contender.row->status = Status::interrupted;
  --finished_;
}

std::vector<double> Engine::time_threads(Contender& contender, int threads, double long_call) {
  if (!prepare_with(contender, threads)) return {};
  std::int64_t iterations = 1;
  for (int call = 0; call < calls_before_times; ++call) {
    const auto taken = sample_and_place(contender, iterations);
    if (!taken) return {};
    const double each = seconds_each(*taken);
    const bool is_last = call + 1 == calls_before_times;
    if (each > long_call && (is_last || each > measure_.max_seconds)) return {each};
    iterations = iterations_for(seconds_to_time_threads, each, contender.request_seconds);
  }
  std::vector<double> times;
  for (int call = calls_before_times; call < calls_to_time_threads; ++call) {
    const auto taken = request_sample(contender, {.iterations = iterations});
    if (!taken) return {};
    times.push_back(seconds_each(*taken));
  }
  return times;
}

std::vector<RacedTimes> Engine::race_threads(Contender& contender, double affordable, double long_call) {
  const double start = time().now();
  std::vector<RacedTimes> raced(1 + contender.participant->fewer_threads.size());  // all threads come first
  const auto time = [&](std::size_t i) {
    const auto times = time_threads(contender, contender.participant->threads_of(i), long_call);
    raced[i].rounds.insert(raced[i].rounds.end(), times.begin(), times.end());
    return !times.empty();
  };
  if (!time(0)) return {};
  const double usual = raced[0].rounds.front();
  if (usual > long_call) {
    // Threads that wait for each other are a hundred times as slow beside neighbours that take a core.
    constexpr double far_behind = 2, all_calls = 4;
    const auto is_behind = [&] {
      return std::ranges::min(raced[0].rounds) > far_behind * raced[1].rounds.front();
    };
    if (all_calls * usual > affordable || !time(1) || !is_behind() || !time(0) || !is_behind()) return {};
    raced[0].far_behind = true;
    return raced;
  }
  for (std::size_t i = 1; i < raced.size(); ++i) {
    if (!time(i)) return {};
  }
  // In the opposite order, so that a machine that becomes slower or faster does not decide.
  bool is_any_promising = false;
  for (std::size_t i = raced.size(); i-- > 0;) {
    const bool again = i == 0 ? is_any_promising : is_promising(raced[i], raced[0]);
    is_any_promising = is_any_promising || again;
    if (!again) raced[i].rounds.clear();
    const bool has_time = this->time().now() - start < affordable;
    if (again && (!has_time || !time(i))) return {};
  }
  return raced;
}

bool Engine::choose_threads(Contender& contender, double prepare_seconds) {
  const Participant& participant = *contender.participant;
  const Parameters& parameters = contender.problem->planned->problem.parameters;
  const bool is_first_of_program = has_prepared_.insert(participant.key).second;
  const bool is_chosen = contender.threads.has_value();
  if (!is_chosen) contender.threads = 0;
  if (is_chosen || participant.fewer_threads.empty() || measure_.cold_cache ||
      parameters.find("tuned") == nullptr || !is_tuned(parameters) || !workers_.takes_threads(participant))
    return true;
  const double affordable = share_of_choosing * measure_.max_seconds;
  const double share = affordable / static_cast<double>(participant.fewer_threads.size() + 2);
  const auto longest_call = [&] { return (share - prepare_seconds) / calls_to_time_threads; };
  const auto takes_too_long = [&] { return longest_call() < seconds_to_time_threads; };
  if (takes_too_long() && is_first_of_program && prepare_seconds < affordable) {
    // The first case of a program may read a data set, or start threads, once and for all.
    const double again = time().now();
    if (!prepare(contender)) return false;
    prepare_seconds = time().now() - again;
  }
  if (takes_too_long()) return true;
  report_progress_(contender, "choosing its threads");
  const double start = time().now();
  const int all = participant.threads;
  contender.threads = all;
  const std::vector<RacedTimes> raced = race_threads(contender, affordable, longest_call());
  if (contender.finished && contender.threads != all && !Interruption::requested()) {
    reopen(contender);
    contender.threads = 0;
    return start_worker(contender) && prepare(contender);
  }
  const std::size_t fastest = fastest_one_by_one(raced);
  const int chosen = participant.threads_of(fastest);
  const bool is_prepared = !contender.finished && prepare_with(contender, chosen);
  contender.choosing_seconds = time().now() - start;
  if (fastest != 0) {
    const double speedup = median(raced[0].rounds) / median(raced[fastest].rounds);
    contender.warnings.push_back(
        {.kind = NoteKind::fewer_threads,
         .figures = {speedup, static_cast<double>(chosen), static_cast<double>(all)}});
  }
  return is_prepared;
}

bool Engine::reopen_for_memory(Contender& contender) {
  if (!contender.finished || contender.row->status != Status::out_of_memory) return false;
  if (!std::exchange(contender.is_alone, true))
    contender.warnings.push_back({.kind = NoteKind::measured_alone, .about = {contender.row->reason}});
  reopen(contender);
  return true;
}

void Engine::verify_only(Contender& contender, int launch) {
  compute_reference(*contender.problem);
  prepare_and_verify(contender, launch);
  if (!contender.finished) release(contender);
}

std::optional<Evidence> Engine::verify(Contender& contender, std::string_view when) {
  const MeasuredProblem& problem = *contender.problem;
  const Case& c = problem.planned->problem;
  auto shown = ask<Evidence>(contender, request::Verify{.elements = problem.elements});
  if (!shown) return shown;
  auto verdict = judge(*problem.reference, *shown, c.workload->tolerance(c.parameters, *problem.reference));
  const bool correct = verdict.correct;
  auto& worst = contender.row->verification;
  if (!worst || !correct || verdict.error > worst->error) worst = std::move(verdict);
  if (correct) return shown;
  contender.visits.clear();  // a wrong result has no speed
  finish(contender, Status::wrong, fmt::format("{}{}", when, worst->detail));
  release(contender);
  return std::nullopt;
}

void Engine::verify_again(Contender& contender) {
  report_progress_(contender, "verifying again");
  if (verify(contender, "when verified again after the samples: "))
    contender.verified_answers = contender.answers.size();
}

void Engine::check_without_further_runs(Contender& contender) {
  if (has_simulated_clock(contender.participant->backend.libraries) || !is_on_gpu(contender)) return;
  if (contender.visits.back().empty() || !contender.answers.back().device_seconds) return;
  const std::int64_t iterations = contender.iterations;
  const std::string hidden = hidden_by_further_runs(contender);
  contender.iterations = iterations;
  if (!hidden.empty()) give_up(contender, hidden);
}

std::string Engine::hidden_by_further_runs(Contender& contender) {
  constexpr int proof = 3;
  const double timeout = measure_.timeout_seconds;
  // Even the slowest: samples vary by far more than that beside neighbours.
  double usual = std::ranges::max(contender.visits.back());
  for (int told = 0;;) {
    const auto alone =
        request_sample(contender, {.iterations = contender.iterations, .device_seconds = false});
    if (!alone) return "";
    // The reported time of this sample may be too short as well.
    constexpr double messages = 0.1;
    const double sure = (1 - messages) * alone->turn_seconds - untimed_seconds(contender, alone->sample) -
                        contender.clock_step;
    const double seconds = std::max(alone->sample.seconds, sure / static_cast<double>(contender.iterations));
    if (usual >= least_share_beside_further_runs * seconds) return "";
    const std::int64_t more = more_iterations(contender.iterations, alone->turn_seconds, timeout);
    if (more > contender.iterations && alone->turn_seconds < telling_request_seconds(timeout)) {
      contender.iterations = more;
    } else if (++told == proof) {
      return fmt::format(
          "reported at most {:.3g} s an iteration with device_seconds, and without it took {:.3g} s", usual,
          seconds);
    }
    // In turn, because the machine may have become slower.
    const auto beside = take_sample(contender);
    if (!beside) return "";
    usual = std::max(usual, beside->seconds);
  }
}

void Engine::compare_with_any_processor(Contender& contender) {
  if (has_simulated_clock(contender.participant->backend.libraries) || contender.visits.empty()) return;
  if (contender.visits.back().empty()) return;
  const std::string why =
      why_beyond_any_processor(*contender.row, median(contender.visits.back()), cpu_count_);
  if (!why.empty()) finish(contender, Status::implausible, why);
}

void Engine::finish(Contender& contender, Status status, const std::string& reason) {
  contender.finished = true;
  // An interrupted further visit keeps what the visits before it have measured.
  if (status == Status::interrupted && contender.row->status == Status::ok) return;
  contender.row->status = status;
  contender.row->reason = reason;
  ++finished_;
}

void Engine::wait_until_idle(Contender& contender) {
  if (workers_.wait_until_idle(*contender.participant) || contender.busy_when_idle) return;
  contender.busy_when_idle = true;
  contender.warnings.push_back(
      {.kind = NoteKind::busy_threads, .figures = {std::chrono::duration<double>(longest_busy).count()}});
}

// ---- before the samples that count

void Engine::calibrate(Contender& contender, double seconds, bool keeps_iterations) {
  report_progress_(contender, "warming up");
  const double start = time().now();
  if (!keeps_iterations) find_iterations(contender, seconds);
  // The first shows which threads compute, and is slower. The second runs after the threads are pinned.
  for (int round = 0; keeps_iterations && round < 2 && !contender.finished; ++round) {
    workers_.watch_threads(*contender.participant);
    if (const auto s = take_sample(contender)) place_threads(contender, total_seconds(*s));
  }
  contender.warm_seconds = time().now() - start;
}

std::optional<Engine::TimedSample> Engine::sample_and_place(Contender& contender, std::int64_t iterations) {
  workers_.watch_threads(*contender.participant);
  auto taken = request_sample(contender, {.iterations = iterations});
  if (!taken) return taken;
  place_threads(contender, std::max(0.0, total_seconds(taken->sample)));
  contender.request_seconds = request_seconds_each(*taken);
  return taken;
}

double Engine::request_seconds_each(const TimedSample& taken) const {
  // A step of the clock may have passed without being seen, and a clock that went back hides time.
  constexpr double fastest_answer = 50e-6;  // seconds
  return std::max({taken.answer_seconds, clock_step_, fastest_answer}) /
         static_cast<double>(taken.sample.iterations);
}

double Engine::seconds_each(const TimedSample& taken) const {
  // A program that does not report all of its time is found later, in samples that are long enough.
  return taken.sample.seconds > 0 && !taken.jumped ? taken.sample.seconds : request_seconds_each(taken);
}

void Engine::find_iterations(Contender& contender, double seconds) {
  std::int64_t iterations = 1;
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    contender.iterations = iterations;
    const auto taken = sample_and_place(contender, iterations);
    if (!taken) return;
    keep_losses(contender, taken->sample);
    note_turn_cost(contender, taken->sample, taken->turn_seconds);
    const double each = seconds_each(*taken);
    if (round == 0) {
      // A call that is longer than the case's time is not repeated.
      if (each > seconds) break;
      continue;
    }
    const double length =
        std::max(sample_length(turn_costs_[contender.participant->key]), least_length(clock_step_));
    const std::int64_t wanted = iterations_for(length, each, contender.request_seconds);
    // Close enough: another round would not change it by much. A single short call does not decide alone,
    // because the second may be as slow as the first.
    constexpr double long_call = 0.2;
    if (wanted < 2 * iterations && (round > 1 || each > long_call)) {
      iterations = wanted;
      break;
    }
    // The time of short calls is estimated again from more of them: a single one is mostly clock and cache
    // effects.
    iterations = round == 1 ? std::max<std::int64_t>(1, wanted / 10) : wanted;
  }
  contender.iterations = iterations;
}

void Engine::place_threads(const Contender& contender, double sample_seconds) {
  // The kernel finds the cores that a neighbour leaves free, if there is a choice.
  if (!takes_fewer_threads(contender)) workers_.place_threads(*contender.participant, sample_seconds);
}

void Engine::note_turn_cost(const Contender& contender, const answer::Sample& s, double turn_seconds) {
  if (has_work_beside(measure_, s) || is_on_gpu(contender)) return;
  note_cost(turn_costs_[contender.participant->key], turn_seconds - total_seconds(s));
}

// ---- sampling

std::optional<answer::Sample> Engine::take_warm_up_sample(Contender& contender) {
  auto s = take_sample(contender);
  if (s) keep_losses(contender, *s);
  return s;
}

std::optional<answer::Sample> Engine::take_kept_sample(Contender& contender) {
  const double start = time().now();
  std::function<void()> look;
  if (contender.watch) {
    contender.watch->begin();
    look = [&] { contender.watch->look(); };
  }
  auto s = take_sample(contender, look);
  if (!s) return s;
  const auto causes = contender.watch ? contender.watch->end() : std::vector<std::string>();
  if (causes.empty()) {
    contender.throttling.in_a_row = 0;
  } else {
    contender.throttling.note(std::ssize(contender.answers), causes);
  }
  contender.visits.back().push_back(s->seconds);
  contender.answers.push_back(*s);
  contender.answers.back().losses = {};
  contender.answers.back().warnings = {};
  constexpr std::size_t most_warnings = 16;  // a program may word its warning differently for each sample
  for (const std::string& warning : s->warnings) {
    if (contender.warnings.size() < most_warnings) add_once(contender.warnings, quoted_note(warning));
  }
  keep_losses(contender, *s);
  contender.spent += time().now() - start;
  note_turn_cost(contender, *s, time().now() - start);
  return s;
}

void Engine::wait_for_own_speed(const Contender& next, double until) {
  speed_.wait_for_own_speed(until, [&](double own_speed) {
    report_progress_(next,
                     fmt::format("waiting: the machine runs at {:.0f} % of its own speed", own_speed * 100));
  });
}

std::optional<Engine::TimedSample> Engine::request_sample(Contender& contender, request::Sample request,
                                                          std::optional<double> timeout,
                                                          const std::function<void()>& meanwhile) {
  const Participant& participant = *contender.participant;
  const std::int64_t counted = request.iterations;
  request.iterations = iterations_to_run(counted, participant.extra_work);
  const double start = time().now();
  const double computed = workers_.cpu_seconds(participant);
  auto answered = ask<answer::Sample>(contender, request, timeout, meanwhile);
  if (!answered) return std::nullopt;
  if (answered->iterations != request.iterations) {
    give_up(contender, fmt::format("broke the protocol: ran {} iterations where {} were requested",
                                   answered->iterations, request.iterations));
    return std::nullopt;
  }
  const Workload& workload = *contender.problem->planned->problem.workload;
  if (!trains(workload)) answered->losses.clear();
  if (!workload.measures_latency()) {
    answered->latencies.clear();  // not requested
  } else if (!answered->latencies.empty() && std::ssize(answered->latencies) != request.iterations) {
    give_up(contender, fmt::format("broke the protocol: gave {} latencies for {} iterations",
                                   answered->latencies.size(), request.iterations));
    return std::nullopt;
  }
  TimedSample taken{.sample = std::move(*answered), .answer_seconds = time().now() - start};
  wait_until_idle(contender);
  taken.turn_seconds = time().now() - start;
  if (has_simulated_clock(participant.backend.libraries)) {
    const bool is_time = is_possible(taken.sample.seconds);
    count_as(taken.sample, counted);
    if (is_time) return taken;
    give_up(contender, fmt::format("broke the protocol: 'seconds' is {} and must be from {:g} to {:g}",
                                   taken.sample.seconds, shortest_seconds, longest_seconds));
    return std::nullopt;
  }
  const RequestTimes times{.wall = taken.turn_seconds,
                           .computed = (workers_.cpu_seconds(participant) - computed) / cpu_count_,
                           .untimed = untimed_seconds(contender, taken.sample),
                           .clock_step = std::max(clock_step_, contender.clock_step)};
  taken.doubt = why_not_believed(taken.sample, times);
  taken.jumped = shows_clock_jump(taken.sample, times);
  count_as(taken.sample, counted);
  return taken;
}

std::optional<answer::Sample> Engine::take_sample(Contender& contender,
                                                  const std::function<void()>& meanwhile) {
  constexpr int proof = 3;  // in a row, because the driver may be stopped in any of them
  const double timeout = measure_.timeout_seconds;
  int told = 0;
  std::optional<answer::Sample> beside;  // with further runs, and not believed for their length
  for (bool is_first = true;; is_first = false) {
    contender.iterations = whole_iterations(contender.iterations, contender.participant->extra_work);
    // Further runs on a GPU would hide how long the requested ones take.
    const request::Sample request{.iterations = contender.iterations,
                                  .device_seconds = is_first || !is_on_gpu(contender)};
    auto taken = request_sample(contender, request, {}, meanwhile);
    if (!taken) return std::nullopt;
    if (!has_simulated_clock(contender.participant->backend.libraries)) note_clock(contender, *taken);
    if (taken->doubt.empty()) {
      // Its further runs took long, but hid nothing.
      if (beside && beside->seconds >= least_share_beside_further_runs * taken->sample.seconds) return beside;
      return std::move(taken->sample);
    }
    if (is_first) {
      if (is_on_gpu(contender) && taken->sample.device_seconds && !taken->jumped)
        beside = std::move(taken->sample);
      continue;
    }
    const std::int64_t more = more_iterations(contender.iterations, taken->turn_seconds, timeout);
    if (more > contender.iterations && taken->turn_seconds < telling_request_seconds(timeout)) {
      contender.iterations = more;
    } else if (++told == proof) {
      give_up(contender, fmt::format("{}, {} times in a row", taken->doubt, proof));
      return std::nullopt;
    }
  }
}

double Engine::untimed_seconds(const Contender& contender, const answer::Sample& s) {
  const auto iterations = static_cast<double>(s.iterations);
  double untimed = 0;
  if (!s.latencies.empty()) {
    constexpr double readings_of_clocks = 1e-6;  // around an iteration; in Python they take 0.1 us
    untimed += readings_of_clocks * iterations;
  }
  if (is_on_gpu(contender)) {
    constexpr double before = 0.1;         // a tenth of the runs, for the switch from another process
    constexpr double further_runs = 1.25;  // by the device's clock
    untimed += before * total_seconds(s);
    untimed += further_runs * std::min(s.device_seconds.value_or(0), s.seconds) * iterations;
  }
  if (measure_.cold_cache) {
    constexpr double slower = 4;  // than the driver, in Python or on several devices
    if (!flush_seconds_) {
      flush_caches();  // allocates what it needs
      const auto start = Clock::now();
      flush_caches();
      flush_seconds_ = seconds_since(start);
    }
    untimed += slower * *flush_seconds_ * iterations;
  }
  return untimed;
}

double Engine::least_length(double clock_step) const {
  return std::min(long_against(clock_step), telling_request_seconds(measure_.timeout_seconds));
}

void Engine::note_clock(Contender& contender, const TimedSample& taken) const {
  constexpr std::size_t kept = 8;
  contender.jumps += taken.jumped ? 1 : 0;
  const double total = total_seconds(taken.sample);
  // Only once: a program that rounds its times would seem to have a clock with larger and larger steps.
  if (contender.clock_step == 0) {
    if (!taken.doubt.empty()) return set_clock_warning(contender.warnings, 0, contender.jumps);
    if (contender.totals.size() == kept) contender.totals.erase(contender.totals.begin());
    contender.totals.push_back(total);
    contender.clock_step = std::max(clock_step_, clock_step_of(contender.totals));
    const double factor = least_length(contender.clock_step) / total;
    if (factor > 1)
      contender.iterations = static_cast<std::int64_t>(
          std::min(1e9, std::ceil(static_cast<double>(contender.iterations) * factor)));
  }
  set_clock_warning(contender.warnings, contender.clock_step, contender.jumps);
}

std::optional<answer::Epoch> Engine::train_epoch(Contender& contender, double timeout) {
  const double start = time().now();
  auto epoch = ask<answer::Epoch>(contender, request::Epoch{}, timeout);
  if (epoch && epoch->losses.empty()) {
    give_up(contender, "broke the protocol: gave no losses for an epoch");
    return std::nullopt;
  }
  if (!epoch || has_simulated_clock(contender.participant->backend.libraries)) return epoch;
  const RequestTimes times{.wall = time().now() - start, .clock_step = clock_step_};
  answer::Sample whole;
  whole.iterations = 1;
  whole.seconds = epoch->seconds;
  if (shows_clock_jump(whole, times)) {
    give_up(contender, why_not_believed(whole, times));
    return std::nullopt;
  }
  constexpr int proof = 2;  // in a row, because the driver may be stopped in one
  const double reported = epoch->seconds + epoch->evaluation_seconds;
  // A program that does not report the evaluation may have spent most of the time there.
  const bool is_short = epoch->evaluation_seconds > 0 && is_too_short(reported, times);
  contender.short_epochs = is_short ? contender.short_epochs + 1 : 0;
  if (contender.short_epochs < proof) return epoch;
  give_up(contender, fmt::format("reported {:.3g} s for an epoch and its evaluation that took {:.3g} s, {} "
                                 "times in a row",
                                 reported, times.wall, proof));
  return std::nullopt;
}

void Engine::give_up(Contender& contender, const std::string& fault) {
  finish(contender, Status::failed, fault);
  workers_.stop_one(*contender.participant);
}

/// Keeps a sample's losses, except after a training that ran for epochs, whose curve is kept alone, and in
/// later visits, where training begins again and would only repeat its curve.
void Engine::keep_losses(Contender& contender, const answer::Sample& s) {
  if (s.losses.empty() || contender.visits.size() > 1) return;
  auto& training = contender.row->training;
  if (training && !training->epoch_seconds.empty()) return;
  if (!training) training.emplace();
  add_losses(*training, s.losses);
}

// ---- GPUs

void Engine::cool_down(Contender& contender) {
  const double seconds = rest_seconds(contender.throttling, measure_);
  if (seconds <= 0) return;
  report_progress_(contender, "letting the GPU rest");
  const double start = time().now();
  for (double rested = 0; rested < seconds && !Interruption::requested(); rested = time().now() - start)
    time().sleep(std::min(seconds - rested, longest_sleep));
  contender.throttling.rested += time().now() - start;
  contender.spent += time().now() - start;
}

void Engine::watch_gpu(Contender& contender) {
  contender.throttling.in_a_row = 0;
  contender.throttling.rested = 0;
  const std::string& id = contender.participant->backend.device_id;
  if (contender.watch || id.empty()) return;
  contender.watch = instruments_.watch_gpu
                        ? instruments_.watch_gpu(id)
                        : std::make_unique<NvmlGpuWatch>(nvml_.value(), id, [this](std::int64_t pid) {
                            return workers_.owns_process(pid);
                          });
}

std::string Engine::why_no_energy(const Contender& contender) const {
  if (measure_.energy_seconds == 0)
    return "not asked for (measure.energy_seconds is 0, or --seconds below 0.5)";
  if (contender.participant->ranks > 1) return "it computes on several GPUs, and one of them is watched";
  if (measure_.cold_cache) return "flushing caches between iterations uses energy, too";
  for (const Gpu& gpu : gpus_) {
    if (gpu.id == contender.participant->backend.device_id && gpu.mig.value_or(false))
      return "the GPU is divided into instances (MIG), and its counter is of all of them";
  }
  return "";
}

void Engine::measure_energy(Contender& contender) {
  if (!contender.watch || contender.visits.back().empty()) return;
  contender.joules = {{}, why_no_energy(contender)};
  contender.watts.reset();
  if (!contender.joules.unknown.empty()) return;
  report_progress_(contender, "measuring energy");
  const double each = median(contender.visits.back());
  const std::int64_t iterations =
      whole_iterations(energy_iterations(measure_.energy_seconds, each), contender.participant->extra_work);
  const auto before = contender.watch->settled_energy();
  if (!before) {
    contender.joules.unknown = before.unknown;
    return;
  }
  const auto taken = request_sample(contender, {.iterations = iterations, .device_seconds = false},
                                    measure_.timeout_seconds + 2 * each * static_cast<double>(iterations));
  if (!taken) return;
  const answer::Sample& s = taken->sample;
  if (!taken->doubt.empty()) {
    contender.joules.unknown = "the time of its sample is not believed: it " + taken->doubt;
    return;
  }
  const auto after = contender.watch->settled_energy();
  const auto idle = contender.watch->settled_energy();
  if (!after || !idle) {
    contender.joules.unknown = after ? idle.unknown : after.unknown;
    return;
  }
  if (s.device_seconds) {
    contender.joules.unknown = "the backend did further runs for device_seconds, though it was told not to";
    return;
  }
  const double joules = joules_of_work(*before, *after, *idle, total_seconds(s));
  if (!(joules > 0)) {
    contender.joules.unknown = "the GPU's energy counter did not advance";
    return;
  }
  contender.joules.value = joules / static_cast<double>(iterations);
  contender.watts = joules / total_seconds(s);
}

}  // namespace breakeven
