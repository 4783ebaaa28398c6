#include "session/threshold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "results/algorithm.h"
#include "session/environment.h"
#include "session/measuring_session.h"
#include "session/paired_launch.h"
#include "session/schedule.h"
#include "statistics/summary.h"
#include "verdicts/launch_effect.h"
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

/// The measurements of a backend in one launch, of the rounds that count.
struct LaunchOfBackend {
  std::size_t side = 0;
  std::string backend;
  std::vector<double> seconds = {};
  std::vector<double> own_speed = {};        // the machine's in each, as it is known now
  std::vector<RoundProbes> probes = {};      // around each
  std::vector<double> reported_joules = {};  // per iteration
  std::optional<double> joules = {};         // per iteration, of the launch
};
using SearchedLaunch = std::vector<LaunchOfBackend>;

/// log(challenger's seconds / baseline's) in a launch.
LaunchEffect effect_of(const LaunchOfBackend& baseline, const LaunchOfBackend& challenger) {
  LaunchSamples samples{.base = baseline.seconds, .head = challenger.seconds};
  for (std::size_t i = 0; i < std::min(baseline.own_speed.size(), challenger.own_speed.size()); ++i)
    samples.own_speed.push_back(std::min(baseline.own_speed[i], challenger.own_speed[i]));
  return effect_of(samples);
}

/// The backends of each side that are measured no further at a value.
using LostBackends = std::array<std::set<std::string>, 2>;

/// The search for one question in time, energy or cost.
struct OpenSearch {
  Metric in = Metric::time;
  double log_price_ratio = 0;  // log(challenger's price / baseline's) if it is in cost
  BreakEvenRules rules;
  BreakEvenSearch search = BreakEvenSearch(rules);
  std::map<std::int64_t, std::vector<SearchedLaunch>> launches = {};
  std::map<std::int64_t, std::string> reasons = {};  // why values cannot be measured
  std::map<std::int64_t, std::size_t> unread = {};   // launches of a value without an energy reading
  bool over = false;

  void add(std::int64_t value, SearchedLaunch launch) {
    launches[value].push_back(std::move(launch));
    search.replace(value, log_ratios(value));  // the backends that count may be others now
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
    for (SearchedLaunch& launch : known->second)
      forgotten +=
          std::erase_if(launch, [&](const auto& one) { return lost[one.side].contains(one.backend); });
    if (forgotten == 0) return;
    std::erase_if(known->second, [this](const auto& launch) { return !has_both_sides(launch); });
    if (known->second.empty()) return cannot(value, reason);
    search.replace(value, log_ratios(value));
    over = false;
  }
  /// Adds nothing for a launch without an energy reading: one that is missing by chance must not cost the
  /// readings of other launches. The value cannot be measured once more launches lack one than have one.
  void skip(std::int64_t value, std::string reason) {
    const auto known = launches.find(value);
    if (++unread[value] > (known == launches.end() ? 0 : known->second.size()))
      cannot(value, std::move(reason));
  }

  /// Searches again in the launches as they are now.
  void search_again() {
    search = BreakEvenSearch(rules);
    for (const auto& [value, of_value] : launches) search.replace(value, log_ratios(value));
    for (const auto& [value, reason] : reasons) search.cannot(value);
    search.next();  // what is measured may be all that it needs
    over = false;
  }

  /// log(challenger / baseline) of each launch at a value.
  std::vector<LaunchEffect> log_ratios(std::int64_t value) const {
    std::vector<PairedLaunch> pairs;
    for (const SearchedLaunch& launch : launches.at(value)) pairs.push_back(paired(launch));
    return log_ratios_of(pairs);
  }

  /// True if both sides have an amount of what is compared.
  bool has_both_sides(const SearchedLaunch& launch) const {
    const auto has = [&](std::size_t side) {
      return std::ranges::any_of(launch, [&](const LaunchOfBackend& one) {
        return one.side == side && (in != Metric::energy || one.joules);
      });
    };
    return has(0) && has(1);
  }

 private:
  PairedLaunch paired(const SearchedLaunch& launch) const {
    PairedLaunch pair;
    std::array<std::vector<const LaunchOfBackend*>, 2> known;
    for (const LaunchOfBackend& one : launch) {
      if (in == Metric::energy && !one.joules) continue;
      known.at(one.side).push_back(&one);
      pair.amounts.at(one.side)[one.backend] = in == Metric::energy ? *one.joules : median(one.seconds);
    }
    for (const LaunchOfBackend* baseline : known[0]) {
      for (const LaunchOfBackend* challenger : known[1])
        pair.log_ratios.insert_or_assign({baseline->backend, challenger->backend},
                                         log_ratio(*baseline, *challenger));
    }
    return pair;
  }

  LaunchEffect log_ratio(const LaunchOfBackend& baseline, const LaunchOfBackend& challenger) const {
    const LaunchEffect in_time = effect_of(baseline, challenger);
    const double shift = in == Metric::energy
                             ? std::log(*challenger.joules / *baseline.joules) - in_time.middle()
                             : log_price_ratio;
    return {in_time.lower + shift, in_time.upper + shift};
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
                         std::max({plan.threads, plan.sides[0].threads, plan.sides[1].threads}),
                         plan.reference_backend, plan.max_seconds, show),
        plan_(plan),
        save_(save) {}

  Threshold run() {
    begin();
    while (!must_end()) {
      auto due = due_values();
      if (due.empty() && judge_launches_again()) due = due_values();
      if (due.empty()) break;
      engine_.begin_launch();
      std::shuffle(due.begin(), due.end(), generator_);
      for (const auto& [open, value] : due) {
        if (must_end()) break;
        measure(*open, value);
        save_([this] { return found(); });
      }
    }
    judge_launches_again();
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
        participants_[side].back()->fewer_threads = plan_.fewer_threads[side];
        warn_of_backend(backend, reported_.warnings);
      }
    }
    for (const ThresholdQuestion& question : plan_.config.questions) {
      OpenQuestion& open = questions_.emplace_back();
      open.question = &question;
      for (const Metric in : plan_.config.in) {
        open.searches.push_back({.in = in,
                                 .log_price_ratio = in == Metric::cost ? log_price_ratio() : 0,
                                 .rules = {.from = question.from,
                                           .to = question.to,
                                           .multiple = plan_.config.multiple,
                                           .factor = question.factor,
                                           .width = plan_.config.width}});
      }
    }
  }

  double log_price_ratio() const {
    const auto& wanted = plan_.config.sides;
    return std::log(wanted[1].price->per_hour / wanted[0].price->per_hour);
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

  /// Judges the speeds in all launches again. Returns true if that changed any.
  bool judge_launches_again() {
    bool has_changed = false;
    for (OpenQuestion& open : questions_) {
      for (OpenSearch& one : open.searches) {
        bool is_changed = false;
        for (auto& [value, launches] : one.launches) {
          for (SearchedLaunch& launch : launches) {
            for (LaunchOfBackend& of : launch)
              is_changed = engine_.speed().judge_again(of.own_speed, of.probes) || is_changed;
          }
        }
        if (is_changed) one.search_again();
        has_changed = has_changed || is_changed;
      }
    }
    return has_changed;
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
          taken.push_back({.at = sides[side].get(),
                           .contender = &contender,
                           .of = {.side = side, .backend = contender.participant->backend.name}});
      }
    }
    const bool enough = sample(taken, sides[0]->launches);
    for (const auto& side : sides) ++side->launches;
    // A wrong result has no speed in earlier launches either, and a backend that failed cannot be chosen.
    const LostBackends lost = lost_backends(sides);
    for (OpenSearch& one : open.searches) one.forget_backends(value, lost, why_not(sides));
    if (Interruption::requested() || !enough) return;  // an incomplete launch does not count
    SearchedLaunch launch;
    for (LaunchOfContender& one : taken) {
      if (one.contender->finished || one.of.seconds.empty()) continue;
      if (wants(Metric::energy)) note_energy(one);
      one.at->seconds[one.of.backend].push_back(median(one.of.seconds));
      if (one.of.joules) one.at->joules[one.of.backend].push_back(*one.of.joules);
      launch.push_back(one.of);
    }
    for (OpenSearch& one : open.searches) {
      if (one.has_both_sides(launch)) {
        one.add(value, launch);
        continue;
      }
      std::string reason = why_not(sides);
      if (reason.empty()) reason = why_no_energy(taken);
      if (has_lost_a_side(sides)) {
        one.cannot(value, std::move(reason));
      } else {
        one.skip(value, std::move(reason));
      }
    }
  }

  /// The measurements of a contender in one launch.
  struct LaunchOfContender {
    SideAtValue* at = nullptr;
    Contender* contender = nullptr;
    LaunchOfBackend of = {};
  };

  static std::string why_no_energy(const std::vector<LaunchOfContender>& taken) {
    std::vector<std::string> reasons;
    for (const LaunchOfContender& one : taken) {
      if (one.of.joules) continue;
      const auto& told = one.contender->participant->backend.unreadable;
      const auto why = told.find("joules");
      std::string reason = one.contender->joules.unknown;
      if (reason.empty()) reason = why == told.end() ? "not told" : why->second;
      reasons.push_back(fmt::format("{}: energy unknown: {}", one.contender->participant->key, reason));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  bool wants(Metric metric) const {
    const auto& in = plan_.config.in;
    return std::ranges::find(in, metric) != in.end();
  }

  /// Records the energy per iteration in this launch: from the GPU's counter over some seconds of further
  /// work, or as the samples that count reported it.
  static void note_energy(LaunchOfContender& one) {
    const Contender& contender = *one.contender;
    if (contender.watch) {
      if (contender.joules.unknown.empty()) one.of.joules = contender.joules.value;
      return;
    }
    one.of.joules = median_if_any(one.of.reported_joules);
  }

  /// Takes rounds of all contenders of both sides, in random order, as in a run; of those alone whose memory
  /// does not suffice beside others. Returns false if there are not enough.
  bool sample(std::vector<LaunchOfContender>& taken, int launch) {
    if (taken.empty()) return true;  // there is nothing to compare
    std::vector<Contender*> contenders;
    contenders.reserve(taken.size());
    for (const LaunchOfContender& one : taken) contenders.push_back(one.contender);
    Visit visit(engine_, {.contenders = std::move(contenders),
                          .launch = launch,
                          .seconds = launch_share * measure_.max_seconds});
    visit.warm_up(waits_until());  // preparing is not waiting
    std::size_t counted = 0, wanted = 2;
    Attempts attempts(*this);
    while (visit.goes_on()) {
      const bool is_enough = attempts.must_end() || counted + visit.pending() >= wanted;
      for (const Round& attempt : visit.sample(is_enough ? std::vector<std::size_t>() : due_of(taken))) {
        const auto round = attempts.add(attempt);
        if (!round) continue;
        for (std::size_t i = 0; i < taken.size(); ++i) keep(*round, i, taken[i].of);
        if (counted++ == 0 && round->longest() > 0) wanted = pairs_of_launch(round->longest(), measure_);
      }
    }
    visit.end(wants(Metric::energy));
    bool is_enough = !attempts.must_end();
    for (LaunchOfContender& one : taken) {
      if (taken.size() == 1 || !engine_.reopen_for_memory(*one.contender)) continue;
      engine_.stop_workers();
      one.of = {.side = one.of.side, .backend = one.of.backend};
      std::vector<LaunchOfContender> alone{one};
      is_enough = sample(alone, launch) && is_enough;
      one = std::move(alone.front());
    }
    return is_enough;
  }

  /// The contenders that are not finished, in random order.
  std::vector<std::size_t> due_of(const std::vector<LaunchOfContender>& taken) {
    auto due = random_order(taken.size(), generator_);
    std::erase_if(due, [&](std::size_t i) { return taken[i].contender->finished; });
    return due;
  }

  /// Keeps a backend's sample of a round that counts.
  static void keep(const Round& round, std::size_t index, LaunchOfBackend& of) {
    const auto& sample = round.samples[index];
    if (!sample) return;
    of.seconds.push_back(sample->seconds);
    if (round.own_speed) {
      of.own_speed.push_back(*round.own_speed);
      of.probes.push_back(round.probes);
    }
    const double joules = sample->joules.value_or(0);
    if (joules > 0) of.reported_joules.push_back(joules);
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
    std::set<Note> notes;
    for (const auto& [value, sides] : open.values) {
      ThresholdPoint point{.value = value};
      if (one.launches.contains(value)) point.log_ratios = one.log_ratios(value);
      slow += static_cast<std::size_t>(
          std::ranges::count_if(point.log_ratios, std::not_fn(&LaunchEffect::is_known)));
      if (const auto reason = one.reasons.find(value); reason != one.reasons.end())
        point.reason = reason->second;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto& contenders = sides[side]->contenders;
        point.wrong |= std::ranges::any_of(contenders, [](const Contender& contender) {
          return contender.finished && contender.row->status == Status::wrong;
        });
        point.sides[side] = point_side(*sides[side], one.in, plan_.config.sides[side].price, notes);
      }
      answer.points.push_back(std::move(point));
    }
    if (slow > 0) {
      answer.slow_launches = slow;
      const bool has_waited = engine_.speed().waited_seconds() > 0;
      notes.insert({.kind = NoteKind::slow_launches,
                    .figures = {trusted_speed_share, static_cast<double>(slow),
                                static_cast<double>(answer.found.launches),
                                has_waited ? engine_.speed().while_waiting() : 1}});
    } else if (answer.found.answer == BreakEven::Answer::unclear && was_slow()) {
      notes.insert({.kind = NoteKind::slow_until_the_end, .figures = {engine_.speed().while_waiting()}});
    }
    answer.notes.assign(notes.begin(), notes.end());
    return answer;
  }

  static ThresholdPointSide point_side(const SideAtValue& side, Metric in,
                                       const std::optional<HourlyPrice>& price, std::set<Note>& notes) {
    ThresholdPointSide made;
    for (const Contender& contender : side.contenders) {
      const std::string& backend = contender.participant->backend.name;
      for (const Note& warning : contender.warnings) {
        // It is part of the value's algorithm.
        if (warning.kind != NoteKind::fewer_threads) notes.insert(with_source(backend, warning));
      }
      if (const auto throttled = lowered_clocks(contender.throttling, contender.answers.size()))
        notes.insert(with_source(backend, *throttled));
      const auto seconds = side.seconds.find(backend);
      if (contender.finished || seconds == side.seconds.end()) continue;
      ThresholdPointSide one{.backend = backend,
                             .seconds = median(seconds->second),
                             .algorithm = algorithm_with_threads(*contender.row)};
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
