#include "session/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "plan/shards.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/measuring_session.h"
#include "session/schedule.h"
#include "statistics/summary.h"
#include "text/counted.h"
#include "verdicts/decision.h"
#include "verdicts/launch_effect.h"
#include "verdicts/notes.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

constexpr std::size_t base = 0, head = 1;
constexpr const char* name_of(std::size_t side) {
  return side == base ? "base" : "head";
}

/// Both sides of one case on one backend.
struct ComparedCase {
  std::size_t verdict_index = 0;
  std::array<Contender*, 2> sides{};             // null if the side does not have it
  std::size_t throttled = 0;                     // pairs repeated because a GPU had lowered its clocks
  std::array<std::size_t, 2> samples{};          // of each side, until its case was closed
  std::vector<std::vector<RoundProbes>> probes;  // around each pair of each launch
  Effects effects;
  bool decided = false;

  bool has_one_side() const { return sides[base] == nullptr || sides[head] == nullptr; }
  /// True if memory does not suffice for both sides at once.
  bool is_apart() const { return sides[base]->is_alone || sides[head]->is_alone; }
  Contender& only() const { return *(sides[base] != nullptr ? sides[base] : sides[head]); }
};

/// A problem, and a case of it for each backend.
struct ComparedProblem {
  MeasuredProblem problem;
  std::deque<Contender> contenders;
  std::vector<ComparedCase> cases;
  double seconds_each = 0;  // of the latest launch
};

class Gate : public MeasuringSession {
 public:
  Gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save, const ShowProgress& show,
       const Instruments& instruments)
      : MeasuringSession(plan.config.measure, instruments,
                         std::max({plan.threads, plan.base.threads, plan.head.threads}),
                         plan.reference_backend, plan.max_seconds, show),
        plan_(plan),
        rules_(plan.rules),
        save_(save) {}

  Verdicts run() {
    begin();
    do {
      measure_open_cases();
    } while (reopen_doubtful() && !must_end());
    end_report(verdicts_);
    verdicts_.wall_seconds = now() - begun_;
    give_up();
    for (const std::size_t side : {base, head}) mark_implausible_of(side);
    note_pairs();
    gather_common_notes(verdicts_);
    return std::move(verdicts_);
  }

 private:
  void measure_open_cases() {
    for (; any_open() && !must_end(); ++launch_) {
      engine_.begin_launch();
      for (ComparedProblem* problem : due()) {
        if (must_end()) break;
        const double start = now();
        const double waited = engine_.speed().waited_seconds();
        measure(*problem);
        // Time spent waiting for a neighbour to finish does not predict how long the next launch takes.
        problem->seconds_each = now() - start - (engine_.speed().waited_seconds() - waited);
        save_(verdicts_);
      }
    }
  }

  // ---- before the first launch

  void begin() {
    verdicts_.kind = "gate";
    verdicts_.complete = false;
    verdicts_.threshold = rules_.threshold;
    auto all = plan_.base.backends;
    all.insert(all.end(), plan_.head.backends.begin(), plan_.head.backends.end());
    begin_report(verdicts_, plan_.head.threads, all);
    verdicts_.base = plan_.base;
    verdicts_.head = plan_.head;
    add_participants();
    for (const BackendPair& names : plan_.backends) {
      for (Note& warning : backend_warnings(names.name(), record(names, base), record(names, head)))
        verdicts_.warnings.push_back(std::move(warning));
    }
    for (Note& warning : same_file_warnings(verdicts_.base, verdicts_.head))
      verdicts_.warnings.push_back(std::move(warning));
    const std::size_t most = plan_.config.cases.size() * plan_.backends.size();
    rows_.reserve(2 * most);  // contenders point to these
    verdicts_.cases.reserve(most);
    for (const PlannedCase& planned : plan_.config.cases) add(planned);
    rules_.cases = 0;
    for (const ComparedProblem& problem : problems_) {
      rules_.cases +=
          std::ranges::count_if(problem.cases, [](const ComparedCase& c) { return !c.has_one_side(); });
    }
    rules_.cases = std::max<std::size_t>(1, rules_.cases);
    verdicts_.method = {{.kind = NoteKind::method_of_gate,
                         .figures = {static_cast<double>(rules_.cases), rules_.false_alarm}}};
  }

  void add_participants() {
    for (const BackendPair& names : plan_.backends) {
      auto& pair = participants_.emplace_back();
      for (const std::size_t s : {base, head}) {
        const BackendRecord* found = record(names, s);
        if (found == nullptr || !found->available) continue;
        pair[s] = participant_of(*found, s == base ? plan_.base : plan_.head, name_of(s));
      }
    }
  }

  /// The record of the pair's backend on a side; null if the side has no such program.
  const BackendRecord* record(const BackendPair& names, std::size_t side) const {
    return side == base ? find_backend(plan_.base.backends, names.base)
                        : find_backend(plan_.head.backends, names.head);
  }

  /// Adds a case that both sides have, or only one. Its verdict exists from the start in both situations.
  void add(const PlannedCase& planned) {
    if (!planned.problem.workload->is_timed()) {
      verdicts_.warnings.push_back(with_source(planned.problem.id(), {.kind = NoteKind::untimed}));
      return;
    }
    const std::string id = planned.problem.id();
    ComparedProblem& problem = problems_.emplace_back();
    problem.problem.planned = &planned;
    for (std::size_t p = 0; p < participants_.size(); ++p) {
      const Pair& pair = participants_[p];
      const auto has = [&](std::size_t side) {
        return pair[side] && pair[side]->backend.has_operation(planned.problem.workload->op());
      };
      // A backend without the operation on either side would only report that for every case.
      if (!has(base) && !has(head)) continue;
      const Participant& shown = has(head) ? *pair[head] : *pair[base];
      CaseVerdict& verdict = verdicts_.cases.emplace_back(undecided(empty_case(planned, id, shown.backend)));
      verdict.backend = plan_.backends[p].name();
      verdict.base_status = verdict.head_status = Status::interrupted;
      ComparedCase& compared = problem.cases.emplace_back();
      compared.verdict_index = verdicts_.cases.size() - 1;
      for (const std::size_t side : {base, head}) {
        if (!has(side)) continue;
        CaseResult& row = rows_.emplace_back(empty_case(planned, id, pair[side]->backend));
        compared.sides.at(side) = &problem.contenders.emplace_back(
            engine_.with_ranks_of(planned.problem, *pair[side]), problem.problem, row);
      }
      if (compared.has_one_side()) say_what_is_missing(verdict, has(base) ? base : head, plan_.backends[p]);
    }
    if (problem.cases.empty()) problems_.pop_back();
  }

  using Pair = std::array<std::unique_ptr<Participant>, 2>;

  /// Explains why only the side `alone` has the case. If a program of the other side cannot start, that does
  /// not show that the case is new.
  void say_what_is_missing(CaseVerdict& verdict, std::size_t alone, const BackendPair& names) const {
    const std::size_t lacking = 1 - alone;
    const std::string& name = lacking == base ? names.base : names.head;
    const BackendRecord* found = record(names, lacking);
    if (found != nullptr && !found->available) {
      (lacking == head ? verdict.head_status : verdict.base_status) = Status::failed;
      verdict.reasons = {
          {.kind = NoteKind::backend_unavailable, .about = {name, name_of(lacking), found->reason}}};
      return;
    }
    verdict.presence = alone == base ? Presence::only_base : Presence::only_head;
    verdict.reasons = {{.kind = found != nullptr ? NoteKind::no_operation : NoteKind::no_backend,
                        .about = {name, name_of(lacking), verdict.op}}};
  }

  // ---- a launch

  /// The problems that the next launch measures, in random order, because everything that runs before a case
  /// in its process is part of its conditions. If there is not enough time for all, the suspects closest to a
  /// decision come first: half-confirming all of them would confirm nothing.
  std::vector<ComparedProblem*> due() {
    std::vector<ComparedProblem*> unsuspected, suspects;
    for (ComparedProblem& problem : problems_) {
      if (is_open(problem)) (confirmed_launches(problem) ? suspects : unsuspected).push_back(&problem);
    }
    std::ranges::stable_sort(suspects, [this](const ComparedProblem* a, const ComparedProblem* b) {
      return std::pair(*confirmed_launches(*a), largest_effect(*a)) >
             std::pair(*confirmed_launches(*b), largest_effect(*b));
    });
    const auto needed = static_cast<std::size_t>(confirming_looks(rules_).front().launches);
    double left = plan_.max_seconds - (now() - begun_);
    std::vector<ComparedProblem*> chosen;
    for (ComparedProblem* problem : suspects) {
      const std::size_t done = *confirmed_launches(*problem);
      const double wanted = static_cast<double>(done < needed ? needed - done : 1) * problem->seconds_each;
      if (wanted > left && !chosen.empty()) continue;
      chosen.push_back(problem);
      left -= wanted;
    }
    for (const ComparedProblem* problem : unsuspected) left -= problem->seconds_each;
    if (left > 0 || chosen.empty()) chosen.insert(chosen.end(), unsuspected.begin(), unsuspected.end());
    std::shuffle(chosen.begin(), chosen.end(), generator_);
    return chosen;
  }

  /// The number of confirming launches of the problem's most confirmed suspect; empty if none is suspected.
  static std::optional<std::size_t> confirmed_launches(const ComparedProblem& problem) {
    std::optional<std::size_t> most;
    for (const ComparedCase& one : problem.cases) {
      if (!one.decided && one.effects.suspected_slower)
        most = std::max(most.value_or(0), one.effects.confirming.size());
    }
    return most;
  }

  double largest_effect(const ComparedProblem& problem) const {
    double largest = 0;
    for (const ComparedCase& one : problem.cases) {
      if (!one.decided && one.effects.suspected_slower)
        largest = std::max(largest, std::abs(std::log(verdicts_.cases[one.verdict_index].ratio->value)));
    }
    return largest;
  }

  void measure(ComparedProblem& problem) {
    for (const std::size_t i : random_order(problem.cases.size(), generator_)) {
      ComparedCase& one = problem.cases[i];
      if (one.decided || Interruption::requested()) continue;
      if (one.has_one_side()) {
        verify_alone(one);
        continue;
      }
      const bool counts = sample(one);
      if (verdict_of(one).launches.empty()) verify_other(one);
      if (Interruption::requested()) return;  // an incomplete launch does not count
      if (is_new(one)) {
        verify_new(one);
      } else if (one.sides[base]->finished || one.sides[head]->finished) {
        cannot_compare(one);
      } else if (counts) {
        decide(one);
      }
    }
  }

  /// Verifies a case that only one side has: a new case must be right, and a missing one is distinguished
  /// from a case that never worked.
  void verify_alone(ComparedCase& one) {
    Contender& only = one.only();
    engine_.verify_only(only, static_cast<int>(launch_));
    if (Interruption::requested()) return;
    CaseVerdict& verdict = verdict_of(one);
    const Status status = only.finished ? only.row->status : Status::ok;
    (one.sides[base] != nullptr ? verdict.base_status : verdict.head_status) = status;
    if (only.finished) verdict.reasons.push_back(quoted_note(only.row->reason));
    verdict.verdict = Verdict::incomparable;
    one.decided = true;
    ++decided_;
  }

  /// Verifies the other side if one side failed in the first launch, perhaps before the other was prepared.
  /// The result then does not depend on the order.
  void verify_other(ComparedCase& one) {
    for (const std::size_t side : {base, head}) {
      if (one.sides.at(1 - side)->finished && !one.sides.at(side)->finished)
        engine_.verify_only(*one.sides.at(side), static_cast<int>(launch_));
    }
  }

  /// True if the base's program has the operation, but not this case of it, such as a data type that the head
  /// adds.
  bool is_new(const ComparedCase& one) {
    const Contender& was = *one.sides[base];
    return verdict_of(one).launches.empty() && was.finished && was.row->status == Status::unsupported &&
           !one.sides[head]->finished;
  }

  void verify_new(ComparedCase& one) {
    CaseVerdict& verdict = verdict_of(one);
    verdict.presence = Presence::only_head;
    verdict.base_status = Status::unsupported;
    verdict.reasons = {{.kind = NoteKind::unsupported_in_base, .about = {one.sides[base]->row->reason}}};
    one.sides[base] = nullptr;
    verify_alone(one);
  }

  /// Samples a launch of both sides: pairs of samples, one right after the other, or all of one side before
  /// the other where memory does not suffice for both. Returns true if there are enough to count.
  bool sample(ComparedCase& one) {
    if (!one.is_apart()) {
      const auto prepared = random_order(2, generator_);  // either side is prepared first
      std::vector<std::size_t> begins{generator_() % 2};
      const auto pairs = take_rounds(one, {one.sides.at(prepared[0]), one.sides.at(prepared[1])}, begins);
      // A permutation of two is its own inverse: prepared[base] is the base's index in the visit.
      if (!pairs.empty()) return add_launch(one, pairs, prepared[base], pairs, prepared[head]);
      for (Contender* side : one.sides) engine_.reopen_for_memory(*side);
      if (!one.is_apart()) return false;
    }
    std::array<std::vector<Round>, 2> rounds;
    std::vector<std::size_t> begins{0};
    for (const std::size_t side : random_order(2, generator_)) {
      engine_.stop_workers();
      rounds.at(side) = take_rounds(one, {one.sides.at(side)}, begins);
      if (rounds.at(side).empty()) return false;
    }
    return add_launch(one, rounds[base], 0, rounds[head], 0);
  }

  /// Takes rounds of these sides until there is one that counts for each entry of `begins`, which is the
  /// index of the side that comes first in it. After the very first round, `begins` gets as many entries as a
  /// launch has pairs. Returns no rounds if there are not enough.
  std::vector<Round> take_rounds(ComparedCase& one, const std::vector<Contender*>& sides,
                                 std::vector<std::size_t>& begins) {
    const double share = launch_share * static_cast<double>(sides.size()) / 2;
    Visit visit(engine_, {.contenders = sides,
                          .launch = static_cast<int>(launch_),
                          .seconds = share * measure_.max_seconds,
                          .is_paired = true,
                          .keeps_iterations = verdict_of(one).base_seconds.has_value()});
    visit.warm_up(waits_until());
    std::vector<Round> counted;
    Attempts attempts(*this);
    while (visit.goes_on()) {
      const std::size_t next = counted.size() + visit.pending();
      std::vector<std::size_t> due;
      if (next < begins.size() && !attempts.must_end()) {
        due = {begins[next]};
        if (sides.size() > 1) due.push_back(1 - begins[next]);
      }
      for (const Round& attempt : visit.sample(due)) {
        one.throttled += attempt.throttled ? 1 : 0;
        auto round = attempts.add(attempt);
        if (!round) continue;
        counted.push_back(std::move(*round));
        if (counted.size() > 1) continue;
        if (begins.size() == 1) begins = order_of_launch(counted.front(), sides, begins.front());
        report_progress(sides.size() > 1 ? *one.sides[head] : *sides.front(), "sampling");
      }
    }
    if (!visit.end() || counted.size() < begins.size()) counted.clear();
    return counted;
  }

  /// The side that begins each pair of a launch whose first round this is. The number of pairs is set for
  /// this launch only: a disturbed first launch must not leave all others with fewer.
  std::vector<std::size_t> order_of_launch(const Round& round, const std::vector<Contender*>& sides,
                                           std::size_t first) {
    if (sides.size() == 1) {
      std::vector<std::size_t> alone(pairs_of_launch(round.longest(), measure_), first);
      return alone;
    }
    double overhead = 0;
    for (const Contender* side : sides) overhead += side->setup_seconds + side->warm_seconds;
    const double more = seconds_as_overhead(overhead, plan_.max_seconds / static_cast<double>(rules_.cases));
    return balanced_order(pairs_of_launch(round.longest(), measure_, more), first);
  }

  /// Adds a launch of these rounds, in which the sides have these indices.
  bool add_launch(ComparedCase& one, const std::vector<Round>& was, std::size_t base_index,
                  const std::vector<Round>& is, std::size_t head_index) {
    LaunchSamples& launch = verdict_of(one).launches.emplace_back();
    std::vector<RoundProbes>& probes = one.probes.emplace_back();
    for (std::size_t i = 0; i < was.size(); ++i) {
      launch.base.push_back(was[i].samples[base_index]->seconds);
      launch.head.push_back(is[i].samples[head_index]->seconds);
      if (was[i].own_speed && is[i].own_speed)
        launch.own_speed.push_back(std::min(*was[i].own_speed, *is[i].own_speed));
      probes.push_back({.before = was[i].probes.before, .after = is[i].probes.after});
    }
    return true;
  }

  /// The side that begins each pair: `begins` in the first, then in random order. Both occur equally often.
  std::vector<std::size_t> balanced_order(std::size_t pairs, std::size_t begins) {
    std::vector<std::size_t> order(pairs);
    for (std::size_t i = 0; i < pairs; ++i) order[i] = i % 2 == 0 ? begins : 1 - begins;
    std::shuffle(order.begin() + 1, order.end(), generator_);
    return order;
  }

  // ---- after a launch

  void decide(ComparedCase& one) {
    CaseVerdict& verdict = verdict_of(one);
    verdict.base_status = verdict.head_status = Status::ok;
    note_algorithms(one);
    Step step = decided(one);
    if (step.next == Step::Next::stop && judge_pairs_again(one)) step = decided(one);
    if (step.next != Step::Next::stop) return;
    set_verdict(one, step);
    close(one);
  }

  /// The next step after all launches of the case.
  Step decided(ComparedCase& one) {
    std::vector<LaunchEffect> effects;
    for (const LaunchSamples& launch : verdict_of(one).launches) effects.push_back(effect_of(launch));
    Decision decision = decide_from(effects, rules_);
    one.effects = std::move(decision.effects);
    summarise(one);
    return decision.step;
  }

  /// Judges the speeds in all pairs of the case again. Returns true if that changed any launch.
  bool judge_pairs_again(ComparedCase& one) {
    std::vector<LaunchSamples>& launches = verdict_of(one).launches;
    bool has_changed = false;
    for (std::size_t l = 0; l < launches.size(); ++l)
      has_changed = engine_.speed().judge_again(launches[l].own_speed, one.probes[l]) || has_changed;
    return has_changed;
  }

  /// Sets the verdict in place of an earlier one. An inconclusive end is explained.
  void set_verdict(ComparedCase& one, const Step& step) {
    CaseVerdict& verdict = verdict_of(one);
    verdict.verdict = step.verdict;
    verdict.not_slower = false;
    verdict.reasons.clear();
    if (step.next == Step::Next::stop && step.verdict == Verdict::inconclusive)
      explain_inconclusive(one, was_slow(one) ? slow_machine(one) : launches_differ(verdict.launches));
  }

  /// Checks all verdicts again at the end, because the first may have been decided next to a neighbour that
  /// was there from the start, before the machine's own speed was seen. Returns true if a case is open again.
  bool reopen_doubtful() {
    bool any = false;
    for (ComparedProblem& problem : problems_) {
      for (ComparedCase& one : problem.cases) {
        if (!one.decided || one.has_one_side() || verdict_of(one).verdict == Verdict::incomparable) continue;
        if (!judge_pairs_again(one)) continue;
        const Step step = decided(one);
        set_verdict(one, step);
        if (step.next == Step::Next::stop) continue;  // further launches would not end at a look
        one.decided = false;
        --decided_;
        any = true;
      }
    }
    return any;
  }

  void note_algorithms(const ComparedCase& one) {
    verdict_of(one).base_algorithm = one.sides[base]->row->algorithm;
    verdict_of(one).head_algorithm = one.sides[head]->row->algorithm;
  }

  void cannot_compare(ComparedCase& one) {
    CaseVerdict& verdict = verdict_of(one);
    const Contender& was = *one.sides[base];
    const Contender& is = *one.sides[head];
    note_algorithms(one);
    // The verdict has separate fields for the statuses.
    verdict.base_status = was.finished ? was.row->status : Status::ok;
    verdict.head_status = is.finished ? is.row->status : Status::ok;
    if (was.finished && is.finished && was.row->reason != is.row->reason) {
      verdict.reasons = {with_source("base", quoted_note(was.row->reason)),
                         with_source("head", quoted_note(is.row->reason))};
    } else {
      verdict.reasons = {quoted_note((is.finished ? is : was).row->reason)};
    }
    // A wrong result has no speed.
    verdict.ratio.reset();
    if (verdict.base_status != Status::ok) verdict.base_seconds.reset();
    if (verdict.head_status != Status::ok) verdict.head_seconds.reset();
    verdict.verdict = Verdict::incomparable;
    close(one);
  }

  void summarise(ComparedCase& one) {
    CaseVerdict& verdict = verdict_of(one);
    const auto median_over_launches = [&](std::vector<double> LaunchSamples::*side) {
      std::vector<double> medians;
      for (const LaunchSamples& launch : verdict.launches) medians.push_back(median(launch.*side));
      return median_if_any(std::move(medians));
    };
    verdict.ratio = ratio_of(one.effects);
    verdict.base_seconds = median_over_launches(&LaunchSamples::base);
    verdict.head_seconds = median_over_launches(&LaunchSamples::head);
  }

  /// Measures the case no further, and takes the notes of its sides.
  void close(ComparedCase& one) {
    one.decided = true;
    ++decided_;
    std::array<std::set<Note>, 2> notes;
    for (const std::size_t side : {base, head}) {
      Contender& contender = *one.sides.at(side);
      notes.at(side).insert(contender.warnings.begin(), contender.warnings.end());
      // A case may be opened and closed again: the throttled samples are those of all the time.
      one.samples.at(side) += contender.answers.size();
      if (const auto throttled = lowered_clocks(contender.throttling, one.samples.at(side)))
        notes.at(side).insert(*throttled);
      contender.answers = {};
      contender.watch.reset();
    }
    verdict_of(one).notes = notes_of_sides(notes[base], notes[head]);
  }

  /// Adds notes on disturbed pairs. Comes last, because more of them may be known at the end.
  void note_pairs() {
    for (const ComparedProblem& problem : problems_) {
      for (const ComparedCase& one : problem.cases) {
        std::vector<Note>& notes = verdict_of(one).notes;
        if (one.throttled > 0)
          notes.push_back({.kind = NoteKind::pairs_again, .figures = {static_cast<double>(one.throttled)}});
        if (const SlowPairs slow = slow_pairs(one); !slow.speeds.empty())
          notes.push_back(
              {.kind = has_bounds(one.effects) ? NoteKind::slow_pairs_counted : NoteKind::slow_pairs_left_out,
               .figures = {rounded_share(median(slow.speeds)), static_cast<double>(slow.speeds.size()),
                           static_cast<double>(slow.all)}});
      }
    }
  }

  /// Ends the cases that are still open when time runs out or the run is interrupted.
  void give_up() {
    verdicts_.complete = true;
    const bool interrupted = Interruption::requested();
    const double minutes = minutes_needed();
    for (ComparedProblem& problem : problems_) {
      for (ComparedCase& one : problem.cases) {
        if (one.decided) continue;
        CaseVerdict& verdict = verdict_of(one);
        if (one.has_one_side()) {
          verdict.verdict = Verdict::incomparable;
          verdicts_.complete = false;
          continue;
        }
        verdicts_.complete = verdicts_.complete && !interrupted;
        const bool was_measured = !verdict.launches.empty();
        Step step;
        if (was_measured && judge_pairs_again(one)) step = decided(one);
        set_verdict(one, step);
        if (step.next != Step::Next::stop) {
          verdict.verdict = end_undecided(one.effects, rules_).verdict;
          const auto launches = static_cast<double>(verdict.launches.size());
          if (verdict.verdict == Verdict::inconclusive)
            explain_inconclusive(
                one, interrupted      ? Note{.kind = NoteKind::interrupted, .figures = {launches}}
                     : !was_slow(one) ? Note{.kind = NoteKind::time_ran_out, .figures = {launches, minutes}}
                                      : slow_machine(one));
        }
        close(one);
        // A case that was never measured has no result, on either side.
        if (!was_measured && !interrupted) verdict.base_status = verdict.head_status = Status::timed_out;
      }
    }
  }

  /// The pairs of a case during which the machine was below its own speed.
  struct SlowPairs {
    std::vector<double> speeds;  // the fraction of its own speed in each
    std::size_t all = 0;         // pairs of the case
  };
  SlowPairs slow_pairs(const ComparedCase& one) const {
    SlowPairs pairs;
    for (const LaunchSamples& launch : verdicts_.cases[one.verdict_index].launches) {
      pairs.all += launch.base.size();
      std::ranges::copy_if(launch.own_speed, std::back_inserter(pairs.speeds),
                           [](double speed) { return speed < trusted_speed_share; });
    }
    return pairs;
  }

  /// True if a slow machine is the reason why the case is open: it was slow in most pairs, or was waited for
  /// most of the time.
  bool was_slow(const ComparedCase& one) const {
    const SlowPairs slow = slow_pairs(one);
    return 2 * slow.speeds.size() > slow.all || was_mostly_waiting();
  }

  Note slow_machine(const ComparedCase& one) const {
    const auto launches = static_cast<double>(verdicts_.cases[one.verdict_index].launches.size());
    const auto spins = [](const Contender* side) { return side != nullptr && side->busy_when_idle; };
    if (std::ranges::any_of(one.sides, spins)) return {.kind = NoteKind::threads_spin, .figures = {launches}};
    const SlowPairs slow = slow_pairs(one);
    const double speed = slow.speeds.empty() ? engine_.speed().while_waiting() : median(slow.speeds);
    return {.kind = NoteKind::slow_machine, .figures = {launches, speed}};
  }

  void explain_inconclusive(const ComparedCase& one, Note cause) {
    CaseVerdict& verdict = verdict_of(one);
    verdict.not_slower = end_undecided(one.effects, rules_).not_slower;
    verdict.reasons =
        reasons_of_inconclusive(verdict, rules_.threshold, one.effects.suspected_slower, std::move(cause));
  }

  /// A rough estimate, in minutes, of the time limit that all open cases need: suspects run up to the next
  /// look that may confirm them, the others need twice the launches that they had. Always more than the
  /// current limit.
  double minutes_needed() const {
    double seconds = (now() - begun_), seconds_each = 0;
    for (const ComparedProblem& problem : problems_)
      seconds_each = std::max(seconds_each, problem.seconds_each);
    for (const ComparedProblem& problem : problems_) {
      std::size_t launches = 0;
      for (const ComparedCase& one : problem.cases) {
        if (!one.decided) launches = std::max(launches, launches_left(one.effects));
      }
      seconds +=
          static_cast<double>(launches) * (problem.seconds_each > 0 ? problem.seconds_each : seconds_each);
    }
    return std::max(std::ceil(seconds / 60), std::floor(plan_.max_seconds / 60) + 1);
  }

  std::size_t launches_left(const Effects& effects) const {
    const std::size_t done = (effects.suspected_slower ? effects.confirming : effects.first).size();
    if (!effects.suspected_slower)
      return std::max(done, static_cast<std::size_t>(first_looks().front().launches));
    for (const Look& look : confirming_looks(rules_)) {
      if (const auto launches = static_cast<std::size_t>(look.launches); launches > done)
        return launches - done;
    }
    return 1;
  }

  /// Finds times of a side that are impossible by the ceilings that were measured with it. They compare with
  /// nothing.
  void mark_implausible_of(std::size_t side) {
    if (!optimised) return;  // an unoptimised build measures no valid ceilings
    Result measured;
    measured.host = verdicts_.host;
    measured.backends = (side == base ? plan_.base : plan_.head).backends;
    std::vector<CaseVerdict*> verdicts;
    for (const ComparedProblem& problem : problems_) {
      for (const ComparedCase& one : problem.cases) {
        CaseVerdict& verdict = verdict_of(one);
        const auto& seconds = side == base ? verdict.base_seconds : verdict.head_seconds;
        if (one.has_one_side() || !seconds) continue;
        CaseResult& row = measured.cases.emplace_back(*one.sides.at(side)->row);
        row.status = Status::ok;
        row.seconds = Timing{.median = *seconds, .samples = {}};
        for (const LaunchSamples& launch : verdict.launches) {
          const auto& samples = side == base ? launch.base : launch.head;
          row.seconds->samples.insert(row.seconds->samples.end(), samples.begin(), samples.end());
        }
        verdicts.push_back(&verdict);
      }
    }
    mark_implausible(measured);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (measured.cases[i].status != Status::implausible) continue;
      CaseVerdict& verdict = *verdicts[i];
      (side == base ? verdict.base_status : verdict.head_status) = Status::implausible;
      (side == base ? verdict.base_seconds : verdict.head_seconds).reset();
      verdict.ratio.reset();
      verdict.not_slower = false;
      verdict.verdict = Verdict::incomparable;
      verdict.reasons = {with_source(name_of(side), quoted_note(measured.cases[i].reason))};
    }
  }

  // ---- small questions

  CaseVerdict& verdict_of(const ComparedCase& one) { return verdicts_.cases[one.verdict_index]; }

  static bool is_open(const ComparedProblem& problem) {
    return std::ranges::any_of(problem.cases, [](const ComparedCase& one) { return !one.decided; });
  }
  bool any_open() const { return std::ranges::any_of(problems_, is_open); }

  void report_progress(const Contender& contender, const std::string& activity) const override {
    show_({.cases_done = decided_,
           .cases_total = verdicts_.cases.size(),
           .id = contender.problem->planned->problem.id(),
           .backend = contender.participant->key,
           .activity = fmt::format("launch {}, {}", launch_ + 1, activity),
           .seconds_left = std::max(0.0, plan_.max_seconds - (now() - begun_)),
           .at_most = true});
  }

  const GatePlan& plan_;
  GateRules rules_;
  const std::function<void(const Verdicts&)>& save_;
  Verdicts verdicts_;
  std::size_t launch_ = 0, decided_ = 0;
  std::vector<Pair> participants_;
  std::vector<CaseResult> rows_;
  std::deque<ComparedProblem> problems_;
};

}  // namespace

WorkerOptions options_of(const Side& side) {
  return with_variables(worker_options(side.threads), side.environment);
}

std::unique_ptr<Participant> participant_of(const BackendRecord& backend, const Side& side,
                                            std::string_view side_name) {
  WorkerOptions options = options_of(side);
  const double extra_work = extra_work_of(options);
  return std::make_unique<Participant>(Participant{.key = fmt::format("{} ({})", backend.name, side_name),
                                                   .backend = backend,
                                                   .options = std::move(options),
                                                   .threads = side.threads,
                                                   .extra_work = extra_work});
}

Verdicts run_gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
                  const ShowProgress& show, const Instruments& instruments) {
  return Gate(plan, save, show, instruments).run();
}

GateSeconds estimated_seconds(const Config& config, std::size_t backends, GateRules rules) {
  rules.cases = std::max<std::size_t>(1, config.cases.size() * backends);
  const auto seconds_of = [&](int launches) {
    Measure measure = config.measure;
    measure.launches = launches;
    measure.max_seconds *= launch_share * launches;
    double seconds = 0;
    for (const PlannedCase& planned : config.cases)
      seconds += 1e-6 * static_cast<double>(estimated_microseconds(planned.problem, measure));
    return 2 * static_cast<double>(backends) * seconds;  // of both sides
  };
  const int first = first_looks().front().launches;
  return {.unchanged = seconds_of(first),
          .changed = seconds_of(first + confirming_looks(rules).front().launches)};
}

std::string BackendPair::name() const {
  return base == head ? base : fmt::format("{} → {}", base, head);
}

std::size_t pairs_of_launch(double sample_seconds, const Measure& measure, double more_seconds) {
  constexpr double fewest = 2, usual = 10, most = 30;
  const double wanted =
      std::max(std::clamp(launch_share * measure.max_seconds / sample_seconds, fewest, usual),
               std::min(more_seconds / sample_seconds, most));
  return 2 * static_cast<std::size_t>(wanted / 2);
}

double seconds_as_overhead(double overhead, double case_seconds) {
  constexpr double launches = 12;
  return std::max(0.0, std::min(overhead, case_seconds / launches - overhead) / 2);
}

}  // namespace breakeven
