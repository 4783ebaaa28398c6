#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "protocol/possible_seconds.h"
#include "results/counted_samples.h"
#include "results/validation.h"
#include "results/whole_file.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/measuring_session.h"
#include "session/resumed_run.h"
#include "session/schedule.h"
#include "session/time_left.h"
#include "statistics/summary.h"
#include "verdicts/roofline.h"
#include "verdicts/verdict.h"
#include "workloads/ranks.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

RunStep describe_step(const Case& problem, std::size_t backends) {
  const Value* epochs = problem.parameters.find("epochs");
  const Value* target = problem.parameters.find("target_accuracy");
  const bool has_goal = (epochs != nullptr && problem.parameters.integer("epochs") > 0) ||
                        (target != nullptr && problem.parameters.number("target_accuracy") > 0);
  const Value* network = problem.parameters.find("network");
  // Training to a goal takes an unpredictable number of steps, so single steps do not predict its time.
  return {.kind = fmt::format("{}{}", problem.workload->op(), has_goal ? " to a goal" : ""),
          .variant = network != nullptr ? problem.parameters.text("network") : "",
          .work = problem.flop(),
          .backends = static_cast<double>(backends)};
}

/// The number of different numbers of ranks: a backend has a program for each.
std::size_t rank_counts_of(const std::vector<PlannedCase>& cases) {
  std::set<std::int64_t> counts;
  for (const PlannedCase& one : cases) counts.insert(ranks_of(one.problem.parameters));
  return counts.size();
}

/// A contender of a run, which ends when it is precise enough.
struct RunContender : Contender {
  using Contender::Contender;
  Progress progress = Progress::more;  // of its latest visit
};
using Contenders = std::vector<RunContender*>;

/// The problem of one config entry with all backends that measure it.
struct SessionProblem {
  MeasuredProblem measured;
  std::deque<RunContender> contenders;  // rows and visits point to them
};

class Session : public MeasuringSession {
 public:
  Session(const SessionPlan& plan, const std::function<void(const Result&, std::size_t)>& save,
          const ShowProgress& show, const Instruments& instruments)
      : MeasuringSession(plan.config.measure, instruments, plan.threads, plan.reference_backend,
                         std::numeric_limits<double>::infinity(), show),
        plan_(plan),
        save_(save),
        resumed_(plan.earlier) {}

  /// Each launch visits every problem, a single launch twice. Cases that were slow, as far as is known at
  /// the end, are measured again: in further launches if there are several.
  Result run() {
    begin();
    save_(result_, 0);
    std::size_t step = 0;
    for (int launch = 0; launch < measure_.launches && !is_over(); ++launch) {
      engine_.begin_launch(participants_of_launch());
      for (int pass = 0; pass < passes(); ++pass) {
        for (std::size_t p = 0; p < problems_.size() && !is_over(); ++p) {
          const double start = now();
          visit(problems_[p], launch, pass);
          steps_[step++].seconds = now() - start;
          countdown_.update(now() - begun_, estimate_seconds_left(steps_));
        }
      }
    }
    judge_speed_again();
    if (measure_.launches == 1)
      take_slow_phases_again();
    else
      add_launches_for_slow_ones();
    judge_speed_again();
    end_report(result_, plan_.earlier ? plan_.earlier->machine_speed : std::nullopt);
    resumed_.keep_warnings(result_);
    for (SessionProblem& problem : problems_) summarise(problem);
    if (optimised) mark_implausible(result_);  // an unoptimised build measures no valid ceilings
    if (result_.sampling) result_.sampling->probe_seconds = engine_.speed().probe_seconds();
    result_.complete = std::ranges::count(result_.cases, Status::interrupted, &CaseResult::status) == 0;
    return std::move(result_);
  }

 private:
  /// Adds every case to the result at the start, as `interrupted` until it is measured.
  void begin() {
    begin_report(result_, plan_.threads, plan_.backends, rank_counts_of(plan_.config.cases));
    result_.host.machine =
        plan_.machine.empty() && plan_.earlier ? plan_.earlier->host.machine : plan_.machine;
    warn_of_environment(result_.host, result_.warnings);
    const double extra_work = extra_work_of({});
    if (extra_work > 0)
      result_.warnings.push_back({.kind = NoteKind::injected_work, .figures = {extra_work}});
    result_.tool_compiler = compiler;
    result_.tool_build = build_type;
    result_.tool_commit = plan_.commit;
    resumed_.warn_of_differences(result_);
    result_.config = plan_.config.json;
    record_shard();
    result_.backends = plan_.backends;
    for (const auto& backend : plan_.backends) {
      participants_.push_back({.key = backend.name,
                               .backend = backend,
                               .options = worker_options(plan_.threads),
                               .threads = plan_.threads,
                               .fewer_threads = plan_.fewer_threads,
                               .extra_work = extra_work});
    }
    // Contenders point to their rows, which must not move.
    result_.cases.reserve(plan_.config.cases.size() * plan_.backends.size() + resumed_.size());
    for (const auto& planned : plan_.config.cases) add(planned);
    resumed_.keep_rest(result_);
    list_steps();
  }

  void add(const PlannedCase& planned) {
    SessionProblem& problem = problems_.emplace_back();
    problem.measured.planned = &planned;
    const std::string id = planned.problem.id();
    for (const Participant& participant : participants_) {
      const BackendRecord& backend = participant.backend;
      if (!backend.available || !takes_part(backend, planned.problem)) continue;
      if (const CaseResult* known = resumed_.take(id, backend.name)) {
        result_.cases.push_back(*known);
        continue;
      }
      CaseResult& row = result_.cases.emplace_back(empty_case(planned, id, backend));
      problem.contenders.emplace_back(engine_.with_ranks_of(planned.problem, participant), problem.measured,
                                      row);
      warn_of_backend(backend, result_.warnings);
    }
    if (problem.contenders.empty()) problems_.pop_back();
  }

  /// Lists all visits to come, whose time is estimated.
  void list_steps() {
    for (int step = 0; step < measure_.launches * passes(); ++step) {
      for (const SessionProblem& problem : problems_) {
        steps_.push_back(describe_step(problem.measured.planned->problem, problem.contenders.size()));
        // Later visits neither train to a goal nor determine how many iterations make a sample.
        if (step % passes() > 0) steps_.back().kind += " again";
      }
    }
  }

  /// Records which part of the cases this run measures. A continued run of all cases stays one.
  void record_shard() {
    if (!plan_.config.shard || (plan_.earlier && !plan_.earlier->shard)) return;
    result_.shard = plan_.config.shard;
    result_.shard->settings = {.precision = measure_.precision,
                               .max_seconds = measure_.max_seconds,
                               .energy_seconds = measure_.energy_seconds,
                               .library_defaults = measure_.library_defaults};
  }

  /// The number of visits of each problem in a launch. A single launch has two, with half the time each: a
  /// slow phase of the machine that is shorter than a launch then shows as a difference between visits.
  /// Several launches are far enough apart already.
  int passes() const { return measure_.launches == 1 ? 2 : 1; }

  /// Decides whether a backend takes part in a problem. Among backends that were not named explicitly, only
  /// those that have the operation take part, so that the others do not report its absence for every problem.
  /// If none has it, all take part.
  bool takes_part(const BackendRecord& backend, const Case& problem) const {
    const auto can = [&](const BackendRecord& b) { return b.available && takes(b, problem); };
    return plan_.backends_are_named || can(backend) || std::ranges::none_of(plan_.backends, can);
  }

  /// The participants that measure something in the next launch.
  std::vector<const Participant*> participants_of_launch() const {
    std::vector<const Participant*> soon;
    for (const SessionProblem& problem : problems_) {
      for (const Contender& contender : problem.contenders) {
        const bool starts =
            !contender.finished && takes(contender.participant->backend, problem.measured.planned->problem);
        if (starts && std::ranges::find(soon, contender.participant) == soon.end())
          soon.push_back(contender.participant);
      }
    }
    return soon;
  }

  // ---- a visit

  void visit(SessionProblem& problem, int launch, int pass) {
    if (!problem.measured.planned->problem.workload->is_timed()) {
      for (Contender& contender : problem.contenders) {
        if (!contender.finished) ask_what_fits(contender);
      }
    } else {
      Contenders contenders;
      for (RunContender& contender : problem.contenders) {
        if (!contender.finished && (pass == 0 || is_spread(contender))) contenders.push_back(&contender);
      }
      measure_together(contenders, launch, pass);
    }
    summarise_and_save(problem);
  }

  void summarise_and_save(SessionProblem& problem) {
    summarise(problem);
    try {
      save_(result_, static_cast<std::size_t>(problem.contenders.front().row - result_.cases.data()));
    } catch (const FileTooLarge& e) {
      is_full_ = true;
      result_.warnings.push_back({.kind = NoteKind::ended_early, .about = {e.what()}});
    }
  }

  bool is_over() const { return is_full_ || Interruption::requested(); }

  void judge_speed_again() {
    for (SessionProblem& problem : problems_) {
      for (Contender& contender : problem.contenders)
        engine_.speed().judge_again(contender.own_speed, contender.probes);
    }
  }

  /// The seconds that may be spent on waiting before these contenders are measured again. Because the machine
  /// was slow, a quarter of the run's time may be spent since `begun`. Negative if they take longer.
  double seconds_to_wait(double begun, const Contenders& contenders) const {
    constexpr double share = 0.25;
    double needed = 0;
    for (const Contender* contender : contenders)
      needed += contender->setup_seconds + std::min(contender->spent, seconds_of_launch());
    return share * (begun - begun_) - (now() - begun) - needed;
  }

  /// Measures these contenders, once the machine is at its own speed again.
  void measure_when_quiet(SessionProblem& problem, const Contenders& contenders, int launch, int pass,
                          double seconds_to_wait) {
    measure_together(contenders, launch, pass, std::min(seconds_to_wait, seconds_of_launch()));
    summarise_and_save(problem);
  }

  static Contenders unfinished(SessionProblem& problem, const auto& condition) {
    Contenders found;
    for (RunContender& contender : problem.contenders) {
      if (!contender.finished && condition(contender)) found.push_back(&contender);
    }
    return found;
  }

  /// Repeats the visits during which the machine was too slow.
  void take_slow_phases_again() {
    const double begun = now();
    for (SessionProblem& problem : problems_) {
      const auto slow = unfinished(problem, [](const Contender& contender) {
        return counts_slow_samples(contender.own_speed, contender.throttling);
      });
      const double left = seconds_to_wait(begun, slow);
      if (slow.empty() || left <= 0 || is_over()) continue;
      measure_when_quiet(problem, slow, measure_.launches - 1, passes(), left);
    }
  }

  /// Measures further launches of cases with too few that count: `compare` leaves out launches during which
  /// the machine was slow. Ends once two such launches in a row have added none.
  void add_launches_for_slow_ones() {
    constexpr int most_in_vain = 2;
    const double begun = now();
    int in_vain = 0;
    for (int launch = measure_.launches; launch < 2 * measure_.launches; ++launch) {
      std::vector<std::pair<SessionProblem*, Contenders>> slow;
      std::set<const Participant*> participants;
      for (SessionProblem& problem : problems_) {
        summarise(problem);  // with the speeds judged again
        auto contenders = unfinished(problem, [&](const Contender& contender) {
          return counted_launches(contender) < static_cast<std::size_t>(measure_.launches);
        });
        if (contenders.empty() || seconds_to_wait(begun, contenders) <= 0) continue;
        for (const Contender* contender : contenders) participants.insert(contender->participant);
        slow.emplace_back(&problem, std::move(contenders));
      }
      if (slow.empty() || in_vain == most_in_vain) return;
      engine_.begin_launch({participants.begin(), participants.end()});
      bool has_gained = false;
      for (const auto& [problem, contenders] : slow) {
        const double left = seconds_to_wait(begun, contenders);
        if (left <= 0) continue;
        if (is_over()) return;
        std::vector<std::size_t> before;
        for (const Contender* contender : contenders) before.push_back(counted_launches(*contender));
        measure_when_quiet(*problem, contenders, launch, 0, left);
        for (std::size_t i = 0; i < contenders.size(); ++i)
          has_gained |= counted_launches(*contenders[i]) > before[i];
      }
      in_vain = has_gained ? 0 : in_vain + 1;
      judge_speed_again();
    }
  }

  /// The number of launches that `compare` takes.
  static std::size_t counted_launches(const Contender& contender) {
    return contender.row->seconds ? counted_launches_of(*contender.row->seconds) : 0;
  }

  /// Measures contenders in turn, and after them those alone whose memory does not suffice beside others.
  void measure_together(const Contenders& contenders, int launch, int pass, double seconds_to_wait = 0) {
    Contenders together, alone;
    for (RunContender* contender : contenders) (contender->is_alone ? alone : together).push_back(contender);
    measure(together, launch, pass, seconds_to_wait);
    for (RunContender* contender : together) {
      if (together.size() == 1 || !engine_.reopen_for_memory(*contender)) continue;
      leave_out_unverified(*contender);
      std::erase_if(contender->visits, [](const auto& samples) { return samples.empty(); });
      alone.push_back(contender);
    }
    for (RunContender* contender : alone) {
      engine_.stop_workers();
      measure({contender}, launch, pass, seconds_to_wait);
    }
  }

  /// Samples contenders in rounds until each is precise enough or out of its time. Waits for so many seconds
  /// while the machine is slow.
  void measure(const Contenders& contenders, int launch, int pass, double seconds_to_wait) {
    if (contenders.empty()) return;
    Visit visit(engine_, {.contenders = {contenders.begin(), contenders.end()},
                          .launch = launch,
                          .seconds = seconds_of_launch() / passes(),
                          .keeps_iterations = pass > 0});
    for (RunContender* contender : contenders) contender->progress = Progress::more;
    if (launch == 0 && pass == 0) train(contenders);
    visit.warm_up(now() + seconds_to_wait);
    std::optional<double> begun, reported;
    while (visit.goes_on()) {
      if (!begun) begun = reported = now();
      // The latest probe decides which samples count.
      if (visit.pending() == 0) judge_progress(contenders, pass);
      const auto due = due_contenders(contenders);
      if (!due.empty() && now() - *reported > 0.1) {  // more often would be unreadable
        report_progress(*contenders[due.front()], pass == 0 ? "sampling" : "sampling again");
        reported = now();
      }
      for (const Round& round : visit.sample(due)) sampling().sample_seconds += round.seconds();
    }
    if (visit.has_enough()) sampling().wall_seconds += now() - *begun;
    visit.end(pass == 0 && launch + 1 == measure_.launches);
    for (RunContender* contender : contenders) compare_epochs_with_samples(*contender);
  }

  void judge_progress(const Contenders& contenders, int pass) const {
    for (RunContender* contender : contenders) {
      if (contender->finished || contender->progress != Progress::more) continue;
      contender->progress =
          progress(deciding_samples(contender->visits, contender->throttling, contender->own_speed),
                   contender->spent, measure_.precision, seconds_of_visit(*contender, pass));
    }
  }

  /// The contenders that need more samples, in random order.
  std::vector<std::size_t> due_contenders(const Contenders& contenders) {
    auto due = random_order(contenders.size(), generator_);
    std::erase_if(due, [&](std::size_t i) {
      return contenders[i]->finished || contenders[i]->progress != Progress::more;
    });
    return due;
  }

  double seconds_of_launch() const { return measure_.max_seconds / measure_.launches; }

  /// The seconds of sampling in this launch after which the visit ends.
  double seconds_of_visit(const Contender& contender, int pass) const {
    if (pass == 0) return is_spread(contender) ? seconds_of_launch() / 2 : seconds_of_launch();
    return pass < passes() ? seconds_of_launch() : 2 * seconds_of_launch();
  }

  /// False if a second visit would cost more than it is worth: it prepares and verifies again, and each visit
  /// needs enough samples for an interval.
  bool is_spread(const Contender& contender) const {
    constexpr double cheap = 0.25;  // fraction of the time for sampling
    if (passes() == 1 || contender.setup_seconds > cheap * seconds_of_launch()) return false;
    return contender.answers.empty() ||
           2 * fewest_samples * total_seconds(contender.answers.front()) <= seconds_of_launch();
  }

  Sampling& sampling() { return result_.sampling ? *result_.sampling : result_.sampling.emplace(); }

  /// Asks what fits: all that is done for a case that is not timed.
  void ask_what_fits(Contender& contender) {
    report_progress(contender, "asking what fits");
    if (!engine_.start_worker(contender)) return;
    const bool by_program = contender.participant->backend.has_operation("fits");
    auto found = by_program ? fit_by_program(contender) : fit_by_preparing(contender);
    // Some frameworks keep the memory of the largest problem until their program ends.
    if (!by_program) engine_.end_program(contender);
    if (!found) return;
    contender.row->fit = std::move(*found);
    engine_.finish(contender, Status::ok, "");
    engine_.release(contender);
  }

  /// The timeout for such questions, in seconds: sizes that barely fit take long.
  double patience_with_fit() const { return 10 * measure_.timeout_seconds; }

  std::optional<Fit> fit_by_program(Contender& contender) {
    const Case& c = contender.problem->planned->problem;
    if (!engine_.ask<answer::Ready>(contender,
                                    request::Prepare{.problem = c, .seed = measure_.seed, .cold = false}))
      return std::nullopt;
    return engine_.ask<Fit>(contender, request::Fit{}, patience_with_fit());
  }

  /// Finds what fits with a program without `fits`, by preparing each size like any other case.
  std::optional<Fit> fit_by_preparing(Contender& contender) {
    const Parameters& p = contender.problem->planned->problem.parameters;
    const std::int64_t smallest = fit_step(p);
    Fit found = find_fit(largest_asked, smallest, [&](std::int64_t size) -> std::string {
      if (contender.finished) return contender.row->reason;
      const request::Prepare prepare{.problem = case_of_size(p, size), .seed = measure_.seed, .cold = false};
      const auto answered = engine_.try_to_ask<answer::Ready>(contender, prepare, patience_with_fit());
      const auto* none = std::get_if<NoAnswer>(&answered);
      if (none == nullptr) return "";
      // A program that refused a size still answers. If it died, or refuses even the smallest size, there is
      // no result.
      const bool refused = std::holds_alternative<answer::Done>(
          engine_.try_to_ask<answer::Done>(contender, request::Release{}, measure_.timeout_seconds));
      if (refused && none->status == Status::out_of_memory) return none->reason;
      if (!refused || size == smallest) engine_.finish(contender, none->status, none->reason);
      return library_limit(none->reason);
    });
    return contender.finished ? std::nullopt : std::optional(std::move(found));
  }

  /// Runs whole trainings, if the case has a number of epochs or a target accuracy: one epoch of each
  /// contender in turn.
  void train(const Contenders& contenders) {
    const Parameters& p = contenders.front()->problem->planned->problem.parameters;
    if (p.find("epochs") == nullptr) return;
    constexpr std::int64_t patience = 100;
    const std::int64_t epochs = p.integer("epochs");
    const double target = p.number("target_accuracy");
    if (epochs == 0 && target == 0) return;
    Contenders going = contenders;
    std::erase_if(going, [](const Contender* contender) { return contender->finished; });
    for (std::int64_t epoch = 0; epoch < (epochs > 0 ? epochs : patience) && !going.empty(); ++epoch) {
      for (const std::size_t i : random_order(going.size(), generator_))
        train_epoch(*going[i], epoch, target);
      std::erase_if(going, [&](const Contender* contender) {
        return contender->finished || (epochs == 0 && contender->row->training->seconds_to_accuracy);
      });
    }
    for (Contender* contender : going) {
      if (target > 0 && !contender->finished && !contender->row->training->seconds_to_accuracy)
        contender->warnings.push_back({.kind = NoteKind::target_missed, .figures = {target}});
    }
  }

  void train_epoch(Contender& contender, std::int64_t epoch, double target) {
    report_progress(contender, fmt::format("training, epoch {}", epoch + 1));
    // An epoch of a slow network takes longer than the time after which other requests count as hung.
    const auto done = engine_.train_epoch(contender, 60 * measure_.timeout_seconds);
    if (!done) return;
    CaseResult& row = *contender.row;
    if (!row.training) row.training.emplace();
    add_losses(*row.training, done->losses);
    row.training->epoch_seconds.push_back(done->seconds);
    row.training->epoch_accuracy.push_back(done->accuracy);
    row.training->accuracy = done->accuracy;
    if (target > 0 && done->accuracy >= target && !row.training->seconds_to_accuracy) {
      const auto& seconds = row.training->epoch_seconds;
      row.training->seconds_to_accuracy = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    }
    engine_.wait_until_idle(contender);
  }

  /// Epochs whose evaluation is not reported, or a single one, are not held against the driver's clock. The
  /// steps of samples are, which take as long where no data moves and no cache is flushed.
  void compare_epochs_with_samples(Contender& contender) {
    const auto& training = contender.row->training;
    const Participant& participant = *contender.participant;
    const bool are_alike =
        !measure_.cold_cache && !Transfer::of(contender.problem->planned->problem.parameters).moves();
    if (contender.finished || !training || !are_alike || has_simulated_clock(participant.backend.libraries))
      return;
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < contender.answers.size(); ++i) {
      const double own_speed = i < contender.own_speed.size() ? contender.own_speed[i] : 1;
      step = std::fmin(step, contender.answers[i].seconds * std::fmin(1, own_speed));  // NaN: not probed
    }
    if (!std::isfinite(step)) return;
    if (const std::string why = why_epochs_are_not_believed(*training, step / (1 + participant.extra_work));
        !why.empty())
      engine_.finish(contender, Status::failed, why);
  }

  // ---- summaries

  /// Summarises the samples so far. May be called again after more samples.
  void summarise(SessionProblem& problem) {
    for (RunContender& contender : problem.contenders) summarise(contender);
  }

  /// True if there are enough samples in every launch, all followed by a verification.
  bool is_measured(const RunContender& contender) const {
    return contender.progress != Progress::more && contender.verified_answers == contender.answers.size() &&
           contender.launch + 1 >= measure_.launches;
  }

  /// Removes the samples since the last verification, if there was no other.
  static void leave_out_unverified(Contender& contender) {
    const std::size_t kept = contender.verified_answers;
    std::size_t excess = contender.answers.size() - kept;
    for (auto visit = contender.visits.rbegin(); excess > 0 && visit != contender.visits.rend(); ++visit) {
      const std::size_t out = std::min(excess, visit->size());
      visit->resize(visit->size() - out);
      excess -= out;
    }
    contender.answers.resize(kept);
    if (contender.own_speed.size() > kept) contender.own_speed.resize(kept);
    if (contender.probes.size() > kept) contender.probes.resize(kept);
    std::erase_if(contender.throttling.samples,
                  [&](std::int64_t sample) { return sample >= static_cast<std::int64_t>(kept); });
  }

  void summarise(RunContender& contender) {
    CaseResult& row = *contender.row;
    if (Interruption::requested() && row.status == Status::ok) leave_out_unverified(contender);
    row.warnings = contender.warnings;
    std::erase_if(contender.visits, [](const auto& visit) { return visit.empty(); });
    row.seconds.reset();
    row.latency.reset();
    for (const auto& [name, member] : reported_amounts) (row.*member).reset();
    if (!contender.own_speed.empty())
      contender.own_speed.resize(contender.answers.size(), std::numeric_limits<double>::quiet_NaN());
    if (!contender.visits.empty()) {
      row.seconds = measure_.launches == 1
                        ? summarise_visits(contender.visits, contender.iterations,
                                           contender.throttling.samples, contender.own_speed)
                        : breakeven::summarise(contender.visits, contender.iterations,
                                               contender.throttling.samples, contender.own_speed);
      summarise_answers(contender, row);
      leave_out_impossible_amounts(row);
      for (const auto& more :
           {timing_warnings(*row.seconds, contender.progress, measure_), condition_warnings(row.conditions)})
        row.warnings.insert(row.warnings.end(), more.begin(), more.end());
      for (const auto& more :
           {throttling_warning(contender.throttling, contender.own_speed, row.seconds->samples),
            own_speed_warning(contender.own_speed, contender.throttling)}) {
        if (more) row.warnings.push_back(*more);
      }
    }
    if (contender.finished) return;
    if (is_measured(contender)) {
      if (row.status != Status::ok) ++measured_;
      row.status = Status::ok;
      row.reason.clear();
    } else if (row.status != Status::ok && !contender.visits.empty()) {
      row.reason = "interrupted";
    }
  }

  /// Summarises values other than times of the samples that count.
  static void summarise_answers(const Contender& contender, CaseResult& row) {
    std::vector<double> cpu_seconds, device_seconds, communication_seconds, joules, latencies;
    for (const std::size_t i : counted_indices(*row.seconds)) {
      const answer::Sample& s = contender.answers[i];
      if (s.cpu_seconds) cpu_seconds.push_back(*s.cpu_seconds);
      if (s.device_seconds) device_seconds.push_back(*s.device_seconds);
      if (s.communication_seconds) communication_seconds.push_back(*s.communication_seconds);
      if (s.joules) joules.push_back(*s.joules);
      latencies.insert(latencies.end(), s.latencies.begin(), s.latencies.end());
    }
    row.cpu_seconds = median_if_any(cpu_seconds);
    row.device_seconds = median_if_any(device_seconds);
    row.communication_seconds = median_if_any(communication_seconds);
    row.joules = contender.joules ? contender.joules.value : median_if_any(joules);
    if (latencies.empty()) return;
    const Latency latency{
        .p50 = quantile(latencies, 0.5), .p99 = quantile(latencies, 0.99), .count = std::ssize(latencies)};
    // A clock with large steps shows none.
    if (is_possible(latency.p50) && fault_of_amount("latency", latency.p50, row, 0).empty())
      row.latency = latency;
  }

  /// A clock of another kind may have been disturbed, or count in steps or in other units.
  void leave_out_impossible_amounts(CaseResult& row) const {
    for (const auto& [name, member] : reported_amounts) {
      std::optional<double>& amount = row.*member;
      const std::string fault = amount ? fault_of_amount(name, *amount, row, result_.host.cpus) : "";
      if (fault.empty()) continue;
      row.warnings.push_back({.kind = NoteKind::amount_left_out,
                              .figures = {*amount, row.seconds->median},
                              .about = {std::string(name)}});
      amount.reset();
    }
  }

  // ---- progress

  void report_progress(const Contender& contender, const std::string& activity) const override {
    SessionProgress progress{.cases_done = std::min(engine_.finished() + measured_, result_.cases.size()),
                             .cases_total = result_.cases.size(),
                             .id = contender.problem->planned->problem.id(),
                             .backend = contender.participant->backend.name,
                             .activity = activity,
                             .seconds_left = countdown_.left(now() - begun_)};
    if (!contender.visits.empty() && !contender.visits.back().empty()) {
      progress.median = median(contender.visits.back());
      if (const auto interval = median_interval(contender.visits.back()))
        progress.half_width = relative_half_width(*interval, *progress.median);
    }
    show_(progress);
  }

  const SessionPlan& plan_;
  const std::function<void(const Result&, std::size_t)>& save_;
  bool is_full_ = false;  // the file of results
  Result result_;
  ResumedRun resumed_;
  std::deque<Participant> participants_;
  std::deque<SessionProblem> problems_;
  std::vector<RunStep> steps_;  // every problem in every visit, in order
  Countdown countdown_;
  std::size_t measured_ = 0;
};

}  // namespace

Result run_session(const SessionPlan& plan, const std::function<void(const Result&, std::size_t)>& save,
                   const ShowProgress& show, const Instruments& instruments) {
  return Session(plan, save, show, instruments).run();
}

int exit_status(const Result& result) {
  const auto any = [&](std::initializer_list<Status> statuses) {
    return std::ranges::any_of(result.cases, [&](const CaseResult& c) {
      return std::ranges::find(statuses, c.status) != statuses.end();
    });
  };
  if (any({Status::wrong, Status::implausible})) return 1;
  if (any({Status::failed, Status::timed_out, Status::out_of_memory, Status::interrupted})) return 4;
  return 0;
}

}  // namespace breakeven
