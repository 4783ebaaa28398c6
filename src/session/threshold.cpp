#include "session/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "session/clock.h"
#include "session/environment.h"
#include "session/schedule.h"
#include "statistics/summary.h"
#include "version.h"

namespace breakeven {
namespace {

/// One side of a question at one value. Arms point at its rows, and its problem at its case: it stays where
/// it is.
struct Stand {
  PlannedCase planned;
  MeasuredProblem problem;
  std::deque<CaseResult> rows;
  int launches = 0;
  std::map<std::string, std::vector<double>> seconds, joules;  // by backend: the median of each launch
};

/// A question in time, in energy or in cost.
struct OpenSearch {
  Quantity in = Quantity::time;
  BreakEvenSearch search;
  std::map<std::int64_t, std::vector<double>> log_ratios;
  std::map<std::int64_t, std::string> reasons;  // of values that cannot be measured
  bool over = false;

  void add(std::int64_t value, double log_ratio) {
    log_ratios[value].push_back(log_ratio);
    search.add(value, log_ratio);
  }
  void cannot(std::int64_t value, std::string reason) {
    log_ratios.erase(value);
    reasons[value] = std::move(reason);
    search.cannot(value);
  }
};

struct OpenQuestion {
  const ThresholdQuestion* question = nullptr;
  std::map<std::int64_t, std::array<std::unique_ptr<Stand>, 2>> stands;
  std::vector<OpenSearch> searches;  // what one of them has measured, all of them use
};

class ThresholdSession {
 public:
  ThresholdSession(const ThresholdPlan& plan,
                   const std::function<void(const std::function<Threshold()>&)>& save,
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

  Threshold run() {
    begin();
    while (!must_end()) {
      auto due = due_values();
      if (due.empty()) break;
      bench_.begin_launch();
      std::shuffle(due.begin(), due.end(), generator_);
      for (const auto& [open, value] : due) {
        if (must_end()) break;
        measure(*open, value);
        save_([this] { return found(); });
      }
    }
    bench_.end();
    Threshold all = found();
    all.complete = !Interruption::requested();
    return all;
  }

 private:
  void begin() {
    said_.created = now_utc();
    said_.tool_version = version;
    warn_of_build(said_.warnings);
    said_.host = describe_host(plan_.threads);
    warn_of_environment(said_.host, said_.warnings);
    std::vector<BackendRecord> all = plan_.sides[0].backends;
    all.insert(all.end(), plan_.sides[1].backends.begin(), plan_.sides[1].backends.end());
    said_.host.gpus = describe_gpus(all, bench_.nvml());
    said_.title = plan_.config.title;
    said_.parameter = plan_.config.parameter;
    said_.width = plan_.config.width;
    said_.unlike_precision = plan_.config.unlike_precision;
    said_.config = plan_.config.json;
    for (std::size_t side = 0; side < 2; ++side) {
      const GateSide& of = plan_.sides[side];
      said_.sides[side] = {.wanted = plan_.config.sides[side].backends,
                           .backends = of.backends,
                           .threads = of.threads,
                           .price = plan_.config.sides[side].price};
      for (const BackendRecord& backend : of.backends) {
        if (!backend.available) continue;
        participants_[side].push_back(participant_of(backend, of, threshold_sides[side]));
        warn_of_backend(backend, said_.warnings);
      }
    }
    for (const ThresholdQuestion& question : plan_.config.questions) {
      OpenQuestion& open = questions_.emplace_back();
      open.question = &question;
      for (const Quantity in : plan_.config.in) {
        open.searches.push_back({.in = in,
                                 .search = BreakEvenSearch({.from = question.from,
                                                            .to = question.to,
                                                            .multiple = plan_.config.multiple,
                                                            .factor = question.factor,
                                                            .width = plan_.config.width}),
                                 .log_ratios = {},
                                 .reasons = {}});
      }
    }
  }

  bool must_end() const { return Interruption::requested() || seconds_since(begun_) > plan_.max_seconds; }

  /// What the searches ask for; one launch measures one value of each question.
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

  std::array<std::unique_ptr<Stand>, 2>& stands_at(OpenQuestion& open, std::int64_t value) {
    auto& stands = open.stands[value];
    for (std::size_t side = 0; side < 2; ++side) {
      if (stands[side]) continue;
      stands[side] = std::make_unique<Stand>();
      Stand& one = *stands[side];
      one.planned = open.question->at(side, value);
      one.problem.planned = &one.planned;
      const std::string id = one.planned.problem.id();
      for (const auto& participant : participants_[side]) {
        Arm& arm = one.problem.arms.emplace_back();
        arm.participant = participant.get();
        arm.row = &one.rows.emplace_back(empty_case(one.planned, id, participant->backend));
      }
    }
    return stands;
  }

  /// One launch of a value: a number for its search, or the reason why there is none.
  void measure(OpenQuestion& open, std::int64_t value) {
    auto& stands = stands_at(open, value);
    std::vector<Taken> taken;
    for (std::size_t side = 0; side < 2; ++side) {
      Stand& stand = *stands[side];
      bench_.find_truth(stand.problem);
      for (Arm& arm : stand.problem.arms) {
        if (arm.over) continue;
        bench_.ready(stand.problem, arm, stand.launches);
        if (!arm.over) bench_.calibrate(stand.problem, arm);
        if (!arm.over)
          taken.push_back({.side = side, .stand = &stand, .arm = &arm, .seconds = {}, .joules = {}});
      }
      ++stand.launches;
    }
    sample(taken);
    for (Taken& one : taken) {
      if (wants(Quantity::energy)) measure_energy(one);
      if (!one.arm->over && !Interruption::requested()) bench_.verify_again(one.stand->problem, *one.arm);
      if (!one.arm->over) bench_.release(*one.arm);
    }
    if (Interruption::requested()) return;  // half a launch says nothing
    for (const Taken& one : taken) {
      if (one.arm->over || one.seconds.empty()) continue;
      const std::string& backend = one.arm->participant->backend.name;
      one.stand->seconds[backend].push_back(median(one.seconds));
      if (one.joules) one.stand->joules[backend].push_back(*one.joules);
    }
    for (OpenSearch& one : open.searches) {
      std::string reason;
      if (const auto log_ratio = log_ratio_in(one.in, taken, stands, reason)) {
        one.add(value, *log_ratio);
      } else {
        one.cannot(value, std::move(reason));
      }
    }
  }

  /// What an arm gave in one launch.
  struct Taken {
    std::size_t side = 0;
    Stand* stand = nullptr;
    Arm* arm = nullptr;
    std::vector<double> seconds;
    std::optional<double> joules;
  };

  /// log(challenger's / baseline's) of a launch: of each side's arm that is least; nothing, and the reason,
  /// where a side has none.
  std::optional<double> log_ratio_in(Quantity in, const std::vector<Taken>& taken,
                                     const std::array<std::unique_ptr<Stand>, 2>& stands,
                                     std::string& reason) const {
    std::array<const Taken*, 2> least{};
    for (const Taken& one : taken) {
      if (one.arm->over || one.seconds.empty()) continue;
      if (in == Quantity::energy && !one.joules) continue;
      const auto amount = [in](const Taken& of) {
        return in == Quantity::energy ? *of.joules : median(of.seconds);
      };
      const Taken*& best = least[one.side];
      if (best == nullptr || amount(one) < amount(*best)) best = &one;
    }
    if (least[0] == nullptr || least[1] == nullptr) {
      reason = why_not(stands);
      if (reason.empty()) reason = why_no_energy(taken);
      return std::nullopt;
    }
    if (in == Quantity::energy) return std::log(*least[1]->joules / *least[0]->joules);
    std::vector<double> logarithms;
    const std::size_t rounds = std::min(least[0]->seconds.size(), least[1]->seconds.size());
    for (std::size_t i = 0; i < rounds; ++i)
      logarithms.push_back(std::log(least[1]->seconds[i] / least[0]->seconds[i]));
    const double faster = median(std::move(logarithms));
    if (in == Quantity::time) return faster;
    const auto& sides = plan_.config.sides;
    return faster + std::log(sides[1].price->per_hour / sides[0].price->per_hour);
  }

  static std::string why_no_energy(const std::vector<Taken>& taken) {
    std::vector<std::string> reasons;
    for (const Taken& one : taken) {
      if (one.joules) continue;
      const auto& told = one.arm->participant->backend.unreadable;
      const auto why = told.find("joules");
      std::string reason = one.arm->joules.unknown;
      if (reason.empty()) reason = why == told.end() ? "not told" : why->second;
      reasons.push_back(fmt::format("{}: energy unknown: {}", one.arm->participant->key, reason));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  bool wants(Quantity quantity) const {
    const auto& in = plan_.config.in;
    return std::find(in.begin(), in.end(), quantity) != in.end();
  }

  /// Of an iteration in this launch: by the GPU's counter over some seconds of further work, or as the
  /// samples told.
  void measure_energy(Taken& one) {
    Arm& arm = *one.arm;
    if (arm.over || Interruption::requested()) return;
    if (arm.watch) {
      bench_.measure_energy(one.stand->problem, arm, said_.host.gpus);
      if (arm.joules.unknown.empty()) one.joules = arm.joules.value;
      return;
    }
    std::vector<double> told;
    const auto taken = static_cast<std::ptrdiff_t>(one.seconds.size());
    for (auto answer = arm.answers.end() - taken; answer != arm.answers.end(); ++answer) {
      if (answer->joules && *answer->joules > 0) told.push_back(*answer->joules);
    }
    if (!told.empty()) one.joules = median(std::move(told));
  }

  /// Rounds of all arms of both sides, in random order, as in a run.
  void sample(std::vector<Taken>& taken) {
    std::size_t rounds = 2;
    for (std::size_t round = 0; round < rounds && !Interruption::requested(); ++round) {
      double longest = 0;
      for (const std::size_t i : random_order(taken.size(), generator_)) {
        Taken& one = taken[i];
        if (one.arm->over) continue;
        const auto s = bench_.take_sample(*one.arm);
        if (!s) continue;
        bench_.keep(*one.arm, *s);
        bench_.settle(*one.arm);
        bench_.rest(one.stand->problem, *one.arm);
        one.seconds.push_back(s->seconds);
        longest = std::max(longest, s->seconds * static_cast<double>(s->iterations));
      }
      if (round == 0 && longest > 0) rounds = pairs_of_launch(longest, measure_);
    }
  }

  static std::string why_not(const std::array<std::unique_ptr<Stand>, 2>& stands) {
    std::vector<std::string> reasons;
    for (const auto& stand : stands) {
      for (const Arm& arm : stand->problem.arms) {
        if (arm.over)
          reasons.push_back(
              fmt::format("{}: {}: {}", arm.participant->key, name(arm.row->status), arm.row->reason));
      }
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  // ---- what is known

  Threshold found() const {
    Threshold all = said_;
    all.wall_seconds = seconds_since(begun_);
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
                           .found = one.search.answer(),
                           .points = {},
                           .notes = {}};
    std::set<std::string> notes;
    for (const auto& [value, stands] : open.stands) {
      ThresholdPoint point{.value = value, .log_ratios = {}, .sides = {}, .reason = {}};
      if (const auto ratios = one.log_ratios.find(value); ratios != one.log_ratios.end())
        point.log_ratios = ratios->second;
      if (const auto reason = one.reasons.find(value); reason != one.reasons.end())
        point.reason = reason->second;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto& arms = stands[side]->problem.arms;
        point.wrong |= std::any_of(arms.begin(), arms.end(), [](const Arm& arm) {
          return arm.over && arm.row->status == Status::wrong;
        });
        point.sides[side] = stand_of(*stands[side], one.in, plan_.config.sides[side].price, notes);
      }
      answer.points.push_back(std::move(point));
    }
    answer.notes.assign(notes.begin(), notes.end());
    return answer;
  }

  static ThresholdStand stand_of(const Stand& stand, Quantity in, const std::optional<HourlyPrice>& price,
                                 std::set<std::string>& notes) {
    ThresholdStand made;
    for (const Arm& arm : stand.problem.arms) {
      const std::string& backend = arm.participant->backend.name;
      for (const std::string& warning : arm.row->warnings)
        notes.insert(fmt::format("{}: {}", backend, warning));
      if (arm.busy_when_idle)
        notes.insert(fmt::format("{}: its threads were still busy 50 ms after a sample", backend));
      const auto seconds = stand.seconds.find(backend);
      if (arm.over || seconds == stand.seconds.end()) continue;
      ThresholdStand one{.backend = backend,
                         .seconds = median(seconds->second),
                         .joules = {},
                         .cost = {},
                         .algorithm = arm.row->algorithm};
      if (const auto joules = stand.joules.find(backend); joules != stand.joules.end())
        one.joules = median(joules->second);
      if (price) one.cost = *one.seconds / 3600 * price->per_hour;
      const auto amount = one.amount(in);
      if (amount && (!made.amount(in) || *amount < *made.amount(in))) made = one;
    }
    return made;
  }

  void tell(const MeasuredProblem& problem, const Arm& arm, std::string activity) const {
    std::size_t done = 0;
    for (const OpenQuestion& open : questions_) {
      for (const OpenSearch& one : open.searches) done += one.over ? 1 : 0;
    }
    SessionProgress progress{.cases_done = done,
                             .cases_total = questions_.size() * plan_.config.in.size(),
                             .id = problem.planned->problem.id(),
                             .backend = arm.participant->key,
                             .activity = std::move(activity),
                             .median = {},
                             .half_width = {},
                             .seconds_left = plan_.max_seconds - seconds_since(begun_),
                             .at_most = true};
    show_(progress);
  }

  const ThresholdPlan& plan_;
  const Measure& measure_;
  const std::function<void(const std::function<Threshold()>&)>& save_;
  const std::function<void(const SessionProgress&)>& show_;
  const Clock::time_point begun_ = Clock::now();
  std::mt19937_64 generator_;
  Threshold said_;  // but for the answers
  Workbench bench_;
  std::array<std::vector<std::unique_ptr<Participant>>, 2> participants_;
  std::deque<OpenQuestion> questions_;  // goes before what its arms use
};

}  // namespace

Threshold run_threshold(const ThresholdPlan& plan,
                        const std::function<void(const std::function<Threshold()>&)>& save,
                        const std::function<void(const SessionProgress&)>& show) {
  return ThresholdSession(plan, save, show).run();
}

}  // namespace breakeven
