#include "session/threshold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "session/environment.h"
#include "session/paired_launch.h"
#include "session/schedule.h"
#include "statistics/summary.h"
#include "text/counted.h"
#include "verdicts/overview.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

/// Measurements of one side of a question at one value. Not movable, because contenders point into it.
struct SideAtValue {
  PlannedCase planned;
  MeasuredProblem problem;
  std::deque<CaseResult> rows;
  std::deque<Contender> contenders;
  int launches = 0;
  std::map<std::string, std::vector<double>> seconds, joules;  // by backend: the median of each launch
};

/// One launch at one value, as a search uses it.
struct SearchedLaunch {
  PairedLaunch pair;
  std::vector<RoundProbes> rounds;  // the probes around its rounds
  bool is_slow = false;             // some of them count although the machine was below its own speed
};

/// log(challenger / baseline) of each launch at a value.
std::vector<double> log_ratios_of(const std::vector<SearchedLaunch>& launches) {
  std::vector<PairedLaunch> pairs;
  pairs.reserve(launches.size());
  for (const SearchedLaunch& launch : launches) pairs.push_back(launch.pair);
  return log_ratios_of(pairs);
}

/// The backends of each side that are measured no further at a value.
using LostBackends = std::array<std::set<std::string>, 2>;

/// The search for one question in time, energy or cost.
struct OpenSearch {
  Quantity in = Quantity::time;
  BreakEvenRules rules;
  BreakEvenSearch search = BreakEvenSearch(rules);
  std::map<std::int64_t, std::vector<SearchedLaunch>> launches = {};
  std::map<std::int64_t, std::string> reasons = {};  // why values cannot be measured
  std::map<std::int64_t, std::size_t> unread = {};   // launches of a value without an energy reading
  bool over = false;
  std::size_t doubtful = 0;  // launches of a slow machine, as was seen too late

  void add(std::int64_t value, SearchedLaunch launch) {
    std::vector<SearchedLaunch>& of_value = launches[value];
    of_value.push_back(std::move(launch));
    search.replace(value, log_ratios_of(of_value));  // the backends that count may be others now
    reasons.erase(value);
    over = false;  // the launch may be for another metric, and take back what the answer rests on
  }
  void cannot(std::int64_t value, std::string reason) {
    launches.erase(value);
    unread.erase(value);
    reasons[value] = std::move(reason);
    search.cannot(value);
    over = false;  // the answer may have rested on this value
  }
  /// Removes the backends in `lost` from all launches at a value. Launches without a backend on a side go.
  void forget_backends(std::int64_t value, const LostBackends& lost, const std::string& reason) {
    const auto known = launches.find(value);
    if (known == launches.end()) return;
    std::size_t forgotten = 0;
    for (SearchedLaunch& launch : known->second) {
      for (std::size_t side = 0; side < 2; ++side) {
        const std::set<std::string>& of_side = lost[side];
        forgotten += std::erase_if(launch.pair.amounts[side],
                                   [&](const auto& amount) { return of_side.contains(amount.first); });
      }
      std::erase_if(launch.pair.log_ratios, [&](const auto& ratio) {
        return lost[0].contains(ratio.first[0]) || lost[1].contains(ratio.first[1]);
      });
    }
    if (forgotten == 0) return;
    std::erase_if(known->second, [](const SearchedLaunch& launch) { return launch.pair.log_ratios.empty(); });
    if (known->second.empty()) return cannot(value, reason);
    search.replace(value, log_ratios_of(known->second));
    over = false;
  }
  /// Adds nothing for a launch without an energy reading: one that is missing by chance must not cost the
  /// readings of other launches. The value cannot be measured once more launches lack one than have one.
  void skip(std::int64_t value, std::string reason) {
    const auto known = launches.find(value);
    if (++unread[value] > (known == launches.end() ? 0 : known->second.size()))
      cannot(value, std::move(reason));
  }

  /// Starts the search again with the launches for which is_slow(launch) is false. Returns true if any launch
  /// was removed.
  template <typename IsSlow>
  bool forget_launches(const IsSlow& is_slow) {
    std::size_t forgotten = 0;
    for (auto& [value, of_value] : launches) forgotten += std::erase_if(of_value, is_slow);
    if (forgotten == 0) return false;
    unread.clear();
    search = BreakEvenSearch(rules);
    for (const auto& [value, of_value] : launches) {
      if (!of_value.empty()) search.replace(value, log_ratios_of(of_value));
    }
    for (const auto& [value, reason] : reasons) search.cannot(value);
    return true;
  }
};

struct OpenQuestion {
  const ThresholdQuestion* question = nullptr;
  std::map<std::int64_t, std::array<std::unique_ptr<SideAtValue>, 2>> values;
  std::vector<OpenSearch> searches;  // all of them use what one has measured
};

class ThresholdSession : public MeasuringSession {
 public:
  ThresholdSession(const ThresholdPlan& plan,
                   const std::function<void(const std::function<Threshold()>&)>& save,
                   const ShowProgress& show, const Instruments& instruments)
      : MeasuringSession(plan.config.measure, instruments,
                         std::max({plan.threads, plan.sides[0].threads, plan.sides[1].threads}), plan.arbiter,
                         plan.max_seconds, show),
        plan_(plan),
        save_(save) {}

  Threshold run() {
    begin();
    while (!must_end()) {
      auto due = due_values();
      if (due.empty() && reopen_doubtful()) due = due_values();
      if (due.empty()) break;
      engine_.begin_launch();
      std::shuffle(due.begin(), due.end(), generator_);
      for (const auto& [open, value] : due) {
        if (must_end()) break;
        measure(*open, value);
        save_([this] { return found(); });
      }
    }
    count_doubtful();
    end_report(reported_);
    Threshold all = found();
    all.complete = !Interruption::requested();
    return all;
  }

 private:
  void begin() {
    std::vector<BackendRecord> all = plan_.sides[0].backends;
    all.insert(all.end(), plan_.sides[1].backends.begin(), plan_.sides[1].backends.end());
    begin_report(reported_, plan_.threads, all);
    warn_of_environment(reported_.host, reported_.warnings);
    reported_.title = plan_.config.title;
    reported_.parameter = plan_.config.parameter;
    reported_.width = plan_.config.width;
    reported_.unlike_precision = plan_.config.unlike_precision;
    reported_.config = plan_.config.json;
    for (std::size_t side = 0; side < 2; ++side) {
      const Side& of = plan_.sides[side];
      reported_.sides[side] = {.wanted = plan_.config.sides[side].backends,
                               .backends = of.backends,
                               .threads = of.threads,
                               .ranks = ranks_of_side(side),
                               .price = plan_.config.sides[side].price};
      for (const BackendRecord& backend : of.backends) {
        if (!backend.available) continue;
        participants_[side].push_back(participant_of(backend, of, threshold_sides[side]));
        warn_of_backend(backend, reported_.warnings);
      }
    }
    for (const ThresholdQuestion& question : plan_.config.questions) {
      OpenQuestion& open = questions_.emplace_back();
      open.question = &question;
      for (const Quantity in : plan_.config.in) {
        open.searches.push_back({.in = in,
                                 .rules = {.from = question.from,
                                           .to = question.to,
                                           .multiple = plan_.config.multiple,
                                           .factor = question.factor,
                                           .width = plan_.config.width}});
      }
    }
  }

  /// The ranks of a side's cases; 1 if they differ.
  std::int64_t ranks_of_side(std::size_t side) const {
    std::set<std::int64_t> ranks;
    for (const ThresholdQuestion& question : plan_.config.questions)
      ranks.insert(ranks_of(question.at(side, question.from).problem.parameters));
    return ranks.size() == 1 ? *ranks.begin() : 1;
  }

  /// True if time ran out, and most of it was spent waiting for a machine below its own speed.
  bool was_slow() const { return out_of_time() && was_mostly_waiting(); }

  /// The values that the searches need next. One launch measures one value of each question.
  std::vector<std::pair<OpenQuestion*, std::int64_t>> due_values() {
    std::vector<std::pair<OpenQuestion*, std::int64_t>> due;
    for (OpenQuestion& open : questions_) {
      for (OpenSearch& one : open.searches) {
        if (one.over) continue;
        if (const auto value = one.search.next()) {
          due.emplace_back(&open, *value);
          break;
        }
        one.over = true;
      }
    }
    return due;
  }

  /// Searches again without the launches that were slow according to what is known now: next to a neighbour
  /// that was there from the start, the first launches looked undisturbed. Returns true if an answer is open
  /// again without them.
  bool reopen_doubtful() {
    const auto is_slow = [this](const SearchedLaunch& launch) { return was_slow_unnoticed(launch); };
    bool any = false;
    for (OpenQuestion& open : questions_) {
      for (OpenSearch& one : open.searches) {
        if (!one.forget_launches(is_slow)) continue;
        one.over = false;
        any = true;
      }
    }
    return any;
  }

  /// True if the machine was below its own speed in the launch, by what is known now, and not when it was
  /// taken.
  bool was_slow_unnoticed(const SearchedLaunch& launch) {
    if (launch.is_slow) return false;
    const auto slow = std::ranges::count_if(launch.rounds, [this](const RoundProbes& round) {
      return engine_.speed().by_now(round) < trusted_speed_share;
    });
    return 4 * static_cast<std::size_t>(slow) > launch.rounds.size();
  }

  /// Counts the launches that could not be taken again, because time ran out.
  void count_doubtful() {
    for (OpenQuestion& open : questions_) {
      for (OpenSearch& one : open.searches) {
        for (const auto& [value, launches] : one.launches)
          one.doubtful += static_cast<std::size_t>(std::ranges::count_if(
              launches, [this](const SearchedLaunch& launch) { return was_slow_unnoticed(launch); }));
      }
    }
  }

  using Sides = std::array<std::unique_ptr<SideAtValue>, 2>;

  Sides& sides_at(OpenQuestion& open, std::int64_t value) {
    Sides& sides = open.values[value];
    for (std::size_t s = 0; s < 2; ++s) {
      if (sides[s]) continue;
      sides[s] = std::make_unique<SideAtValue>();
      SideAtValue& side = *sides[s];
      side.planned = open.question->at(s, value);
      side.problem.planned = &side.planned;
      const std::string id = side.planned.problem.id();
      for (const auto& participant : participants_[s]) {
        CaseResult& row = side.rows.emplace_back(empty_case(side.planned, id, participant->backend));
        side.contenders.emplace_back(engine_.with_ranks_of(side.planned.problem, *participant), side.problem,
                                     row);
      }
    }
    return sides;
  }

  /// Measures one launch of a value: its search gets a number, or the reason why there is none.
  void measure(OpenQuestion& open, std::int64_t value) {
    Sides& sides = sides_at(open, value);
    std::vector<LaunchOfContender> taken;
    for (std::size_t side = 0; side < 2; ++side) {
      for (Contender& contender : sides[side]->contenders) {
        if (!contender.finished)
          taken.push_back({.side = side, .at = sides[side].get(), .contender = &contender});
      }
    }
    SearchedLaunch launch;
    const bool enough = sample(taken, sides[0]->launches, launch);
    for (const auto& side : sides) ++side->launches;
    // A wrong result has no speed in earlier launches either, and a backend that failed cannot be chosen.
    const LostBackends lost = lost_backends(sides);
    for (OpenSearch& one : open.searches) one.forget_backends(value, lost, why_not(sides));
    if (Interruption::requested() || !enough) return;  // an incomplete launch does not count
    for (LaunchOfContender& one : taken) {
      if (one.contender->finished || one.seconds.empty()) continue;
      if (wants(Quantity::energy)) note_energy(one);
      const std::string& backend = one.contender->participant->backend.name;
      one.at->seconds[backend].push_back(median(one.seconds));
      if (one.joules) one.at->joules[backend].push_back(*one.joules);
    }
    for (OpenSearch& one : open.searches) {
      std::string reason;
      if (auto pair = pair_in(one.in, taken, sides, reason)) {
        launch.pair = std::move(*pair);
        one.add(value, launch);
      } else if (has_lost_a_side(sides)) {
        one.cannot(value, std::move(reason));
      } else {
        one.skip(value, std::move(reason));
      }
    }
  }

  /// The measurements of a contender in one launch.
  struct LaunchOfContender {
    std::size_t side = 0;
    SideAtValue* at = nullptr;
    Contender* contender = nullptr;
    std::vector<double> seconds = {};
    std::vector<double> reported_joules = {};  // per iteration, of the samples that count
    std::optional<double> joules = {};         // per iteration, of the launch
  };

  /// The amounts of a launch in time, energy or cost, of every pair of backends. Empty, and the reason is
  /// set, if a side has none.
  std::optional<PairedLaunch> pair_in(Quantity in, const std::vector<LaunchOfContender>& taken,
                                      const Sides& sides, std::string& reason) const {
    PairedLaunch pair;
    std::array<std::vector<const LaunchOfContender*>, 2> known;
    for (const LaunchOfContender& one : taken) {
      if (one.contender->finished || one.seconds.empty()) continue;
      if (in == Quantity::energy && !one.joules) continue;
      known[one.side].push_back(&one);
      pair.amounts[one.side][one.contender->participant->backend.name] =
          in == Quantity::energy ? *one.joules : median(one.seconds);
    }
    if (known[0].empty() || known[1].empty()) {
      reason = why_not(sides);
      if (reason.empty()) reason = why_no_energy(taken);
      return std::nullopt;
    }
    for (const LaunchOfContender* baseline : known[0]) {
      for (const LaunchOfContender* challenger : known[1])
        pair.log_ratios[{baseline->contender->participant->backend.name,
                         challenger->contender->participant->backend.name}] =
            log_ratio_in(in, *baseline, *challenger);
    }
    return pair;
  }

  /// log(challenger / baseline) of two backends in a launch.
  double log_ratio_in(Quantity in, const LaunchOfContender& baseline,
                      const LaunchOfContender& challenger) const {
    if (in == Quantity::energy) return std::log(*challenger.joules / *baseline.joules);
    const double faster = effect_of({.base = baseline.seconds, .head = challenger.seconds}).middle();
    if (in == Quantity::time) return faster;
    const auto& wanted = plan_.config.sides;
    return faster + std::log(wanted[1].price->per_hour / wanted[0].price->per_hour);
  }

  static std::string why_no_energy(const std::vector<LaunchOfContender>& taken) {
    std::vector<std::string> reasons;
    for (const LaunchOfContender& one : taken) {
      if (one.joules) continue;
      const auto& told = one.contender->participant->backend.unreadable;
      const auto why = told.find("joules");
      std::string reason = one.contender->joules.unknown;
      if (reason.empty()) reason = why == told.end() ? "not told" : why->second;
      reasons.push_back(fmt::format("{}: energy unknown: {}", one.contender->participant->key, reason));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  bool wants(Quantity quantity) const {
    const auto& in = plan_.config.in;
    return std::ranges::find(in, quantity) != in.end();
  }

  /// Records the energy per iteration in this launch: from the GPU's counter over some seconds of further
  /// work, or as the samples that count reported it.
  static void note_energy(LaunchOfContender& one) {
    const Contender& contender = *one.contender;
    if (contender.watch) {
      if (contender.joules.unknown.empty()) one.joules = contender.joules.value;
      return;
    }
    one.joules = median_if_any(one.reported_joules);
  }

  /// Takes rounds of all contenders of both sides, in random order, as in a run; of those alone whose memory
  /// does not suffice beside others. Returns false if there are not enough. Adds the probes around the rounds
  /// that count to `searched`.
  bool sample(std::vector<LaunchOfContender>& taken, int launch, SearchedLaunch& searched) {
    if (taken.empty()) return true;  // there is nothing to compare
    Visit visit{.contenders = {}, .launch = launch, .seconds = launch_share * measure_.max_seconds};
    for (const LaunchOfContender& one : taken) visit.contenders.push_back(one.contender);
    visit.measures_energy = wants(Quantity::energy);
    visit.before_sampling = [&] { visit.wait_until = waits_until(); };  // preparing is no waiting
    std::size_t counted = 0, wanted = 2;
    bool cut_short = false;
    visit.take = [&](const Round& round) {
      const bool is_slow = !round.is_undisturbed() && !round.throttled && patience() <= 0;
      if (!round.is_undisturbed() && !is_slow) {
        note_retaken(round);
        cut_short = cut_short || out_of_time();
        return;
      }
      searched.is_slow = searched.is_slow || is_slow;
      searched.rounds.push_back(round.probes);
      for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!round.samples[i]) continue;
        taken[i].seconds.push_back(round.samples[i]->seconds);
        const double joules = round.samples[i]->joules.value_or(0);
        if (joules > 0) taken[i].reported_joules.push_back(joules);
      }
      if (counted++ == 0 && round.longest() > 0) wanted = pairs_of_launch(round.longest(), measure_);
    };
    visit.due = [&](std::size_t pending) -> std::vector<std::size_t> {
      if (cut_short || counted + pending >= wanted) return {};
      auto due = random_order(taken.size(), generator_);
      std::erase_if(due, [&](std::size_t i) { return taken[i].contender->finished; });
      return due;
    };
    engine_.measure(visit);
    for (Contender* reopened : engine_.reopen_for_memory(visit)) {
      engine_.stop_workers();
      LaunchOfContender& one = *std::ranges::find(taken, reopened, &LaunchOfContender::contender);
      one.seconds.clear();
      one.reported_joules.clear();
      std::vector<LaunchOfContender> alone{one};
      cut_short = !sample(alone, launch, searched) || cut_short;
      one = std::move(alone.front());
    }
    return !cut_short;
  }

  /// True if no contender of one side can be measured any further.
  static bool has_lost_a_side(const Sides& sides) {
    return std::ranges::any_of(
        sides, [](const auto& side) { return std::ranges::all_of(side->contenders, &Contender::finished); });
  }

  /// The backends that failed or gave wrong results. An interruption says nothing about a backend.
  static LostBackends lost_backends(const Sides& sides) {
    LostBackends lost;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Contender& contender : sides[side]->contenders) {
        if (contender.finished && contender.row->status != Status::interrupted)
          lost[side].insert(contender.participant->backend.name);
      }
    }
    return lost;
  }

  static std::string why_not(const Sides& sides) {
    std::vector<std::string> reasons;
    for (const auto& side : sides) {
      for (const Contender& contender : side->contenders) {
        if (contender.finished)
          reasons.push_back(fmt::format("{}: {}", contender.participant->key,
                                        status_text(contender.row->status, contender.row->reason)));
      }
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  // ---- results

  Threshold found() const {
    Threshold all = reported_;
    all.wall_seconds = (now() - begun_);
    for (const OpenQuestion& open : questions_) {
      for (const OpenSearch& one : open.searches) all.answers.push_back(answer_of(open, one));
    }
    return all;
  }

  ThresholdAnswer answer_of(const OpenQuestion& open, const OpenSearch& one) const {
    ThresholdAnswer answer{.title = open.question->title,
                           .in = one.in,
                           .from = open.question->from,
                           .to = open.question->to,
                           .found = one.search.answer()};
    std::size_t slow = 0;
    for (const auto& [value, launches] : one.launches)
      slow += static_cast<std::size_t>(std::ranges::count_if(launches, &SearchedLaunch::is_slow));
    if (slow > 0) answer.slow_launches = slow;
    std::set<std::string> notes;
    if (one.doubtful > 0) {
      answer.found.answer = BreakEven::Answer::unclear;
      answer.found.changes.clear();
      answer.doubtful_launches = one.doubtful;
    }
    for (const auto& [value, sides] : open.values) {
      ThresholdPoint point{.value = value};
      if (const auto found = one.launches.find(value); found != one.launches.end())
        point.log_ratios = log_ratios_of(found->second);
      if (const auto reason = one.reasons.find(value); reason != one.reasons.end())
        point.reason = reason->second;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto& contenders = sides[side]->contenders;
        point.wrong |= std::ranges::any_of(contenders, [](const Contender& contender) {
          return contender.finished && contender.row->status == Status::wrong;
        });
        point.sides[side] = stand_of(*sides[side], one.in, plan_.config.sides[side].price, notes);
      }
      answer.points.push_back(std::move(point));
    }
    if (slow > 0) {
      const std::string meanwhile =
          engine_.speed().waited_seconds() > 0
              ? fmt::format(", and {} while breakeven waited", ran_at(engine_.speed().while_waiting()))
              : "";
      notes.insert(
          fmt::format("in {} of {} this machine was below 95 % of its own speed{}: the times are those of a "
                      "machine with these neighbours",
                      slow, counted_text(answer.found.launches, "launch", "launches"), meanwhile));
    } else if (answer.found.answer == BreakEven::Answer::unclear && was_slow()) {
      notes.insert(fmt::format("time ran out: this machine {}; repeat it when nothing else shares its cores",
                               ran_at(engine_.speed().while_waiting())));
    }
    answer.notes.assign(notes.begin(), notes.end());
    return answer;
  }

  static ThresholdStand stand_of(const SideAtValue& side, Quantity in,
                                 const std::optional<HourlyPrice>& price, std::set<std::string>& notes) {
    ThresholdStand made;
    for (const Contender& contender : side.contenders) {
      const std::string& backend = contender.participant->backend.name;
      for (const std::string& warning : contender.warnings)
        notes.insert(fmt::format("{}: {}", backend, warning));
      if (const auto throttled = describe(contender.throttling, contender.answers.size()))
        notes.insert(fmt::format("{}: {}", backend, *throttled));
      const auto seconds = side.seconds.find(backend);
      if (contender.finished || seconds == side.seconds.end()) continue;
      ThresholdStand one{
          .backend = backend, .seconds = median(seconds->second), .algorithm = contender.row->algorithm};
      if (const auto joules = side.joules.find(backend); joules != side.joules.end())
        one.joules = median(joules->second);
      if (price) one.cost = *one.seconds / 3600 * price->per_hour;
      const auto amount = one.amount(in);
      if (amount && (!made.amount(in) || *amount < *made.amount(in))) made = one;
    }
    return made;
  }

  void report_progress(const Contender& contender, const std::string& activity) const override {
    std::size_t done = 0;
    for (const OpenQuestion& open : questions_) {
      for (const OpenSearch& one : open.searches) done += one.over ? 1 : 0;
    }
    show_({.cases_done = done,
           .cases_total = questions_.size() * plan_.config.in.size(),
           .id = contender.problem->planned->problem.id(),
           .backend = contender.participant->key,
           .activity = activity,
           .seconds_left = plan_.max_seconds - (now() - begun_),
           .at_most = true});
  }

  const ThresholdPlan& plan_;
  const std::function<void(const std::function<Threshold()>&)>& save_;
  Threshold reported_;  // without the answers
  std::array<std::vector<std::unique_ptr<Participant>>, 2> participants_;
  std::deque<OpenQuestion> questions_;
};

}  // namespace

Threshold run_threshold(const ThresholdPlan& plan,
                        const std::function<void(const std::function<Threshold()>&)>& save,
                        const ShowProgress& show, const Instruments& instruments) {
  return ThresholdSession(plan, save, show, instruments).run();
}

}  // namespace breakeven
