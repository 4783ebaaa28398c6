#include "session/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "session/clock.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/schedule.h"
#include "statistics/summary.h"
#include "verdicts/decision.h"
#include "verdicts/notes.h"
#include "version.h"

namespace breakeven {
namespace {

constexpr std::size_t base = 0, head = 1;
constexpr const char* name_of(std::size_t side) {
  return side == base ? "base" : "head";
}

/// Both sides of one case on one backend.
struct Duel {
  std::size_t verdict_index = 0;
  std::size_t arms = 0;              // of its problem: the base's, and behind it the head's
  std::optional<std::size_t> alone;  // the only side that has it: verified once, and nothing is compared
  std::size_t repeated = 0;          // pairs that were taken again, as a GPU throttled
  Effects effects;
  bool decided = false;
};

/// Why a case without a clear verdict is not measured further, and what to do about it.
struct Cause {
  std::string text, remedy;
};

/// A problem and the duels in it: one for each backend that both sides have.
struct Match {
  MeasuredProblem problem;
  std::vector<Duel> duels;
  double seconds_each = 0;  // of the latest launch
};

class Gate {
 public:
  Gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
       const std::function<void(const SessionProgress&)>& show)
      : plan_(plan),
        measure_(plan.config.measure),
        rules_(plan.rules),
        save_(save),
        show_(show),
        generator_(measure_.seed),
        bench_(measure_, plan.threads, plan.arbiter,
               [this](const MeasuredProblem& problem, const Arm& arm, const std::string& activity) {
                 tell(problem, arm, activity);
               }) {}

  Verdicts run() {
    begin();
    for (launch_ = 0; any_open() && !must_end(); ++launch_) {
      bench_.begin_launch();
      for (Match* match : due()) {
        if (must_end()) break;
        const auto start = Clock::now();
        measure(*match);
        match->seconds_each = seconds_since(start);
        save_(verdicts_);
      }
    }
    bench_.end();
    verdicts_.wall_seconds = seconds_since(begun_);
    give_up();
    gather_common_notes(verdicts_);
    return std::move(verdicts_);
  }

 private:
  // ---- before the first launch

  void begin() {
    verdicts_.kind = "gate";
    verdicts_.complete = false;
    verdicts_.created = now_utc();
    verdicts_.tool_version = version;
    verdicts_.threshold = rules_.threshold;
    warn_of_build(verdicts_.warnings);
    verdicts_.host = describe_host(plan_.head.threads);
    auto all = plan_.base.backends;
    all.insert(all.end(), plan_.head.backends.begin(), plan_.head.backends.end());
    verdicts_.host.gpus = describe_gpus(all, bench_.nvml());
    verdicts_.base = record_of(plan_.base);
    verdicts_.head = record_of(plan_.head);
    add_participants();
    for (const BackendPair& names : plan_.backends) {
      for (std::string& warning : backend_warnings(names.name(), record(names, base), record(names, head)))
        verdicts_.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : same_file_warnings(verdicts_.base, verdicts_.head))
      verdicts_.warnings.push_back(std::move(warning));
    const std::size_t most = plan_.config.cases.size() * plan_.backends.size();
    rows_.reserve(2 * most);  // arms point at them
    verdicts_.cases.reserve(most);
    for (const PlannedCase& planned : plan_.config.cases) add(planned);
    rules_.cases = 0;
    for (const Match& match : matches_) {
      rules_.cases +=
          std::count_if(match.duels.begin(), match.duels.end(), [](const Duel& d) { return !d.alone; });
    }
    rules_.cases = std::max<std::size_t>(1, rules_.cases);
    verdicts_.method = method_of(rules_);
  }

  static std::string method_of(const GateRules& rules) {
    return fmt::format(
        "Each launch gives one value: the median over its pairs of samples of head's seconds over base's. "
        "The change is the trimmed mean of these values' logarithms, with Tukey and McLaughlin's 95 % "
        "interval. A case is called slower or faster only where further launches confirm it by the "
        "randomisation test of signs. Where nothing changed, the chance that any of the {} cases is called "
        "slower or faster is at most {:g} %.",
        rules.cases, rules.false_alarm * 100);
  }

  static Side record_of(const GateSide& side) {
    return {.source = side.source,
            .environment = side.environment,
            .backends = side.backends,
            .backend = side.backend,
            .name = side.name,
            .threads = side.threads};
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
    const auto& there = (side == base ? plan_.base : plan_.head).backends;
    const auto& name = side == base ? names.base : names.head;
    const auto found =
        std::find_if(there.begin(), there.end(), [&](const auto& b) { return b.name == name; });
    return found == there.end() ? nullptr : &*found;
  }

  /// Adds a case that both sides have, or only one; in both situations its verdict exists from the start.
  void add(const PlannedCase& planned) {
    if (!planned.problem.workload->is_timed()) {
      verdicts_.warnings.push_back(fmt::format("{}: not compared, it has no time", planned.problem.id()));
      return;
    }
    const std::string id = planned.problem.id();
    Match match;
    match.problem.planned = &planned;
    for (std::size_t p = 0; p < participants_.size(); ++p) {
      const Pair& pair = participants_[p];
      const auto has = [&](std::size_t side) {
        return pair[side] && pair[side]->backend.has_operation(planned.problem.workload->op());
      };
      // A backend that has the operation on neither side would only repeat that for every case.
      if (!has(base) && !has(head)) continue;
      const Participant& shown = has(head) ? *pair[head] : *pair[base];
      CaseVerdict& verdict = verdicts_.cases.emplace_back(undecided(empty_case(planned, id, shown.backend)));
      verdict.backend = plan_.backends[p].name();
      verdict.base_status = verdict.head_status = Status::interrupted;
      Duel& duel = match.duels.emplace_back();
      duel.verdict_index = verdicts_.cases.size() - 1;
      duel.arms = match.problem.arms.size();
      if (!has(base) || !has(head)) {
        duel.alone = has(base) ? base : head;
        say_what_is_missing(verdict, *duel.alone, plan_.backends[p]);
      }
      for (const std::size_t side : {base, head}) {
        if (!has(side)) continue;
        Arm& arm = match.problem.arms.emplace_back();
        arm.participant = pair[side].get();
        arm.row = &rows_.emplace_back(empty_case(planned, id, pair[side]->backend));
      }
    }
    if (!match.duels.empty()) matches_.push_back(std::move(match));
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
      verdict.reason = fmt::format("{} is not available: {}", name, found->reason);
      return;
    }
    verdict.presence = alone == base ? Presence::only_base : Presence::only_head;
    verdict.reason = found != nullptr
                         ? fmt::format("{} has no {} in the {}", name, verdict.op, name_of(lacking))
                         : fmt::format("there is no {} in the {}", name, name_of(lacking));
  }

  // ---- a launch

  /// The problems that the next launch measures, in random order: everything that runs before a case in its
  /// process is part of its conditions. If there is not enough time for everything, the suspects nearest to
  /// an end come first: half of the confirmations of all would confirm nothing.
  std::vector<Match*> due() {
    std::vector<Match*> looked_at, suspects;
    for (Match& match : matches_) {
      if (is_open(match)) (confirmed_launches(match) ? suspects : looked_at).push_back(&match);
    }
    std::stable_sort(suspects.begin(), suspects.end(), [](const Match* a, const Match* b) {
      return std::pair(*confirmed_launches(*a), largest_effect(*a)) >
             std::pair(*confirmed_launches(*b), largest_effect(*b));
    });
    const auto needed = static_cast<std::size_t>(confirming_looks(rules_).front().launches);
    double left = plan_.max_seconds - seconds_since(begun_);
    std::vector<Match*> chosen;
    for (Match* match : suspects) {
      const std::size_t done = *confirmed_launches(*match);
      const double wanted = static_cast<double>(done < needed ? needed - done : 1) * match->seconds_each;
      if (wanted > left && !chosen.empty()) continue;
      chosen.push_back(match);
      left -= wanted;
    }
    for (const Match* match : looked_at) left -= match->seconds_each;
    if (left > 0 || chosen.empty()) chosen.insert(chosen.end(), looked_at.begin(), looked_at.end());
    std::shuffle(chosen.begin(), chosen.end(), generator_);
    return chosen;
  }

  /// The number of confirming launches of the match's most confirmed suspect; empty if none is suspected.
  static std::optional<std::size_t> confirmed_launches(const Match& match) {
    std::optional<std::size_t> most;
    for (const Duel& duel : match.duels) {
      if (!duel.decided && duel.effects.suspected_slower)
        most = std::max(most.value_or(0), duel.effects.confirming.size());
    }
    return most;
  }

  static double largest_effect(const Match& match) {
    double largest = 0;
    for (const Duel& duel : match.duels) {
      if (!duel.decided && duel.effects.suspected_slower)
        largest = std::max(largest, std::abs(estimate(duel.effects.first)));
    }
    return largest;
  }

  void measure(Match& match) {
    MeasuredProblem& problem = match.problem;
    bench_.find_truth(problem);
    for (const std::size_t d : random_order(match.duels.size(), generator_)) {
      Duel& duel = match.duels[d];
      if (duel.decided || Interruption::requested()) continue;
      if (duel.alone) {
        verify_alone(problem, duel);
        continue;
      }
      if (ready(problem, duel) && sample(problem, duel)) {
        for (const std::size_t side : {base, head}) bench_.verify_again(problem, arm(problem, duel, side));
      }
      for (const std::size_t side : {base, head}) {
        if (!arm(problem, duel, side).over) bench_.release(arm(problem, duel, side));
      }
      if (Interruption::requested()) return;  // half a launch says nothing
      if (is_new(problem, duel)) {
        verify_new(problem, duel);
      } else {
        decide(problem, duel);
      }
    }
  }

  /// Verifies a case that only one side has: a new case must be right, and a missing one is distinguished
  /// from a case that never worked.
  void verify_alone(MeasuredProblem& problem, Duel& duel) {
    Arm& one = problem.arms[duel.arms];
    bench_.ready(problem, one, static_cast<int>(launch_));
    if (!one.over) bench_.release(one);
    if (Interruption::requested()) return;
    CaseVerdict& said = verdict(duel);
    const Status status = one.over ? one.row->status : Status::ok;
    (duel.alone == base ? said.base_status : said.head_status) = status;
    if (one.over) said.reason += fmt::format("{}{}", said.reason.empty() ? "" : "; ", one.row->reason);
    said.verdict = Verdict::incomparable;
    duel.decided = true;
    ++decided_;
  }

  /// True if the base's program has the operation, but not this case of it, such as a data type that the head
  /// adds.
  bool is_new(MeasuredProblem& problem, const Duel& duel) {
    const Arm& was = arm(problem, duel, base);
    return verdict(duel).launches.empty() && was.over && was.row->status == Status::unsupported &&
           !arm(problem, duel, head).over;
  }

  void verify_new(MeasuredProblem& problem, Duel& duel) {
    CaseVerdict& said = verdict(duel);
    said.presence = Presence::only_head;
    said.base_status = Status::unsupported;
    said.reason = fmt::format("new: not supported in the base: {}", arm(problem, duel, base).row->reason);
    duel.alone = head;
    duel.arms += head;  // of which its only arm is left
    verify_alone(problem, duel);
  }

  static Arm& arm(MeasuredProblem& problem, const Duel& duel, std::size_t side) {
    return problem.arms[duel.arms + side];
  }

  static bool any_over(MeasuredProblem& problem, const Duel& duel) {
    return arm(problem, duel, base).over || arm(problem, duel, head).over;
  }

  /// Prepares both sides, in random order, and finds a number of iterations per sample that serves both.
  /// Returns false if one of them is finished.
  bool ready(MeasuredProblem& problem, Duel& duel) {
    const auto order = random_order(2, generator_);
    for (const std::size_t side : order) {
      bench_.ready(problem, arm(problem, duel, side), static_cast<int>(launch_));
      if (arm(problem, duel, side).over) return false;
    }
    const bool calibrated = verdict(duel).base_seconds.has_value();
    for (const std::size_t side : order) {
      Arm& one = arm(problem, duel, side);
      if (calibrated) {
        bench_.warm_up(one);
      } else {
        bench_.calibrate(problem, one);
      }
      if (one.over) return false;
    }
    const std::int64_t iterations =
        std::max(arm(problem, duel, base).iterations, arm(problem, duel, head).iterations);
    for (const std::size_t side : {base, head}) arm(problem, duel, side).iterations = iterations;
    return true;
  }

  /// Takes pairs of samples, one right after the other; either side comes first equally often, in random
  /// order.
  bool sample(MeasuredProblem& problem, Duel& duel) {
    LaunchSamples taken;
    std::vector<std::size_t> first{generator_() % 2};
    for (std::size_t pair = 0; pair < first.size();) {
      if (Interruption::requested()) return false;
      double slowest = 0;
      for (const std::size_t side : {first[pair], 1 - first[pair]}) {
        Arm& one = arm(problem, duel, side);
        const auto s = bench_.take_sample(one);
        if (!s) return false;
        bench_.keep(one, *s);
        bench_.settle(one);
        (side == base ? taken.base : taken.head).push_back(s->seconds);
        slowest = std::max(slowest, s->seconds * static_cast<double>(s->iterations));
      }
      if (rest(problem, duel)) {
        taken.base.pop_back();
        taken.head.pop_back();
        ++duel.repeated;
        continue;
      }
      if (pair++ > 0) continue;
      // Set for this launch alone: a launch that begins disturbed must not leave all others with fewer pairs.
      first = balanced_order(pairs_of_launch(slowest, measure_), first.front());
      tell(problem, arm(problem, duel, head), "sampling");
    }
    verdict(duel).launches.push_back(std::move(taken));
    return true;
  }

  /// True if a side throttled in the latest pair; its GPU has then been left to cool down.
  bool rest(MeasuredProblem& problem, Duel& duel) {
    bool rested = false;
    for (const std::size_t side : {base, head}) rested |= bench_.rest(problem, arm(problem, duel, side));
    return rested;
  }

  /// The side that begins each pair: the first as given, both equally often.
  std::vector<std::size_t> balanced_order(std::size_t pairs, std::size_t begins) {
    std::vector<std::size_t> order(pairs);
    for (std::size_t i = 0; i < pairs; ++i) order[i] = i % 2 == 0 ? begins : 1 - begins;
    std::shuffle(order.begin() + 1, order.end(), generator_);
    return order;
  }

  // ---- after a launch

  void decide(MeasuredProblem& problem, Duel& duel) {
    CaseVerdict& said = verdict(duel);
    for (const std::size_t side : {base, head}) {
      const Arm& one = arm(problem, duel, side);
      (side == base ? said.base_status : said.head_status) = one.over ? one.row->status : Status::ok;
      (side == base ? said.base_algorithm : said.head_algorithm) = one.row->algorithm;
    }
    if (any_over(problem, duel)) return cannot_compare(problem, duel);
    const Step step = add_launch(duel.effects, effect_of(said.launches.back()), rules_);
    summarise(duel);
    if (step.next == Step::Next::stop) {
      close(problem, duel, step.verdict);
      if (step.verdict == Verdict::inconclusive) {
        end_undecided(duel, {.text = "launches differ too much",
                             .remedy = "repeat it on a quieter machine, or with a larger --threshold"});
      }
    }
  }

  void cannot_compare(MeasuredProblem& problem, Duel& duel) {
    CaseVerdict& said = verdict(duel);
    // The verdict has separate fields for the statuses.
    const Arm& was = arm(problem, duel, base);
    const Arm& is = arm(problem, duel, head);
    said.reason = was.over && is.over && was.row->reason != is.row->reason
                      ? fmt::format("base: {}; head: {}", was.row->reason, is.row->reason)
                      : (is.over ? is : was).row->reason;
    // A wrong result has no speed.
    said.ratio.reset();
    close(problem, duel, Verdict::incomparable);
  }

  void summarise(Duel& duel) {
    CaseVerdict& said = verdict(duel);
    said.ratio = ratio_of(duel.effects);
    std::vector<double> base_medians, head_medians;
    for (const LaunchSamples& launch : said.launches) {
      base_medians.push_back(median(launch.base));
      head_medians.push_back(median(launch.head));
    }
    said.base_seconds = median(std::move(base_medians));
    said.head_seconds = median(std::move(head_medians));
  }

  void close(MeasuredProblem& problem, Duel& duel, Verdict decided) {
    CaseVerdict& said = verdict(duel);
    said.verdict = decided;
    duel.decided = true;
    ++decided_;
    std::array<std::set<std::string>, 2> notes;
    for (const std::size_t side : {base, head}) {
      Arm& one = arm(problem, duel, side);
      notes.at(side).insert(one.row->warnings.begin(), one.row->warnings.end());
      if (one.busy_when_idle) notes.at(side).insert("its threads were still busy 50 ms after a sample");
      if (const auto throttled = describe(one.throttling, one.answers.size()))
        notes.at(side).insert(*throttled);
      one.answers = {};
      one.watch.reset();
    }
    said.notes = notes_of_sides(notes[base], notes[head]);
    if (duel.repeated > 0)
      said.notes.push_back(
          fmt::format("{} pairs of samples were taken again, after the GPU had cooled down", duel.repeated));
  }

  /// Ends the cases that are still open when the time is up or the run is interrupted.
  void give_up() {
    verdicts_.complete = true;
    const bool interrupted = Interruption::requested();
    const Cause cause = interrupted
                            ? Cause{.text = "interrupted", .remedy = ""}
                            : Cause{.text = "time ran out",
                                    .remedy = fmt::format("re-run with --minutes {:.0f}", minutes_needed())};
    for (Match& match : matches_) {
      for (Duel& duel : match.duels) {
        if (duel.decided) continue;
        if (duel.alone) {
          verdict(duel).verdict = Verdict::incomparable;
          verdicts_.complete = false;
          continue;
        }
        CaseVerdict& said = verdict(duel);
        verdicts_.complete = verdicts_.complete && !interrupted;
        close(match.problem, duel, breakeven::end_undecided(duel.effects, rules_).verdict);
        if (said.verdict == Verdict::inconclusive) end_undecided(duel, cause);
        // A case that was never measured has no result, on either side.
        if (said.launches.empty() && !interrupted) said.base_status = said.head_status = Status::timed_out;
      }
    }
  }

  void end_undecided(const Duel& duel, const Cause& cause) {
    CaseVerdict& said = verdict(duel);
    said.not_slower = breakeven::end_undecided(duel.effects, rules_).not_slower;
    said.reason = reason_of_inconclusive({.ratio = said.ratio,
                                          .launches = said.launches.size(),
                                          .threshold = rules_.threshold,
                                          .suspected_slower = duel.effects.suspected_slower,
                                          .not_slower = said.not_slower,
                                          .cause = cause.text,
                                          .remedy = cause.remedy});
  }

  /// A rough estimate in minutes for all open cases: suspects run up to the next look that may confirm them,
  /// the others take twice the launches that they had. Always more than the time limit.
  double minutes_needed() const {
    double seconds = seconds_since(begun_), seconds_each = 0;
    for (const Match& match : matches_) seconds_each = std::max(seconds_each, match.seconds_each);
    for (const Match& match : matches_) {
      std::size_t launches = 0;
      for (const Duel& duel : match.duels) {
        if (!duel.decided) launches = std::max(launches, launches_left(duel.effects));
      }
      seconds += static_cast<double>(launches) * (match.seconds_each > 0 ? match.seconds_each : seconds_each);
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

  // ---- small questions

  CaseVerdict& verdict(const Duel& duel) { return verdicts_.cases[duel.verdict_index]; }

  static bool is_open(const Match& match) {
    return std::any_of(match.duels.begin(), match.duels.end(), [](const Duel& d) { return !d.decided; });
  }
  bool any_open() const { return std::any_of(matches_.begin(), matches_.end(), is_open); }
  bool must_end() const { return Interruption::requested() || seconds_since(begun_) > plan_.max_seconds; }

  void tell(const MeasuredProblem& problem, const Arm& arm, const std::string& activity) const {
    show_({.cases_done = decided_,
           .cases_total = verdicts_.cases.size(),
           .id = problem.planned->problem.id(),
           .backend = arm.participant->key,
           .activity = fmt::format("launch {}, {}", launch_ + 1, activity),
           .median = {},
           .half_width = {},
           .seconds_left = std::max(0.0, plan_.max_seconds - seconds_since(begun_)),
           .at_most = true});
  }

  const GatePlan& plan_;
  const Measure& measure_;
  GateRules rules_;
  const std::function<void(const Verdicts&)>& save_;
  const std::function<void(const SessionProgress&)>& show_;
  std::mt19937_64 generator_;
  Clock::time_point begun_ = Clock::now();
  Verdicts verdicts_;
  std::size_t launch_ = 0, decided_ = 0;
  std::vector<Pair> participants_;
  std::vector<CaseResult> rows_;
  Workbench bench_;
  std::vector<Match> matches_;  // goes before what its arms use
};

}  // namespace

WorkerOptions options_of(const GateSide& side) {
  WorkerOptions options = worker_options(side.threads);
  options.environment.insert(options.environment.end(), side.environment.begin(), side.environment.end());
  return options;
}

std::unique_ptr<Participant> participant_of(const BackendRecord& backend, const GateSide& side,
                                            std::string_view side_name) {
  return std::make_unique<Participant>(Participant{.key = fmt::format("{} ({})", backend.name, side_name),
                                                   .backend = backend,
                                                   .options = options_of(side),
                                                   .threads = side.threads});
}

Verdicts run_gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
                  const std::function<void(const SessionProgress&)>& show) {
  return Gate(plan, save, show).run();
}

std::string BackendPair::name() const {
  return base == head ? base : fmt::format("{} → {}", base, head);
}

std::size_t pairs_of_launch(double sample_seconds, const Measure& measure) {
  constexpr double share = 0.15;  // of the case's time: there are many launches
  constexpr double most = 10;
  const double wanted = std::clamp(share * measure.max_seconds / sample_seconds, 2.0, most);
  return 2 * static_cast<std::size_t>(wanted / 2);
}

}  // namespace breakeven
