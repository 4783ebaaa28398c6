#include "verdicts/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "results/algorithm.h"
#include "results/counted_samples.h"
#include "results/google_benchmark.h"
#include "statistics/significance.h"
#include "statistics/summary.h"
#include "verdicts/decision.h"
#include "verdicts/notes.h"
#include "verdicts/overview.h"
#include "version.h"

namespace breakeven {
namespace {

/// The median of each launch's counted samples, in seconds. nullopt if the file does not record the launch of
/// each sample.
std::optional<std::vector<double>> medians_of_launches(const Timing& timing, const SampleFigures& figures) {
  return timing.launches.size() <= 1 ? std::vector<double>{timing.median} : figures.launch_medians;
}

/// Renames the base's program to the head's, if each file comes from one Google Benchmark program: renaming a
/// program does not change its benchmarks. Returns a note of it; empty for other files, or equal names.
std::optional<Note> rename_as_the_head(Result& base, const Result& head) {
  const auto is_of_one_program = [](const Result& result) {
    return result.backends.size() == 1 &&
           std::ranges::all_of(result.cases, [](const CaseResult& c) { return c.op == google_benchmark_op; });
  };
  if (!is_of_one_program(base) || !is_of_one_program(head)) return std::nullopt;
  const std::string& is = head.backends.front().name;
  const std::string was = std::exchange(base.backends.front().name, is);
  if (was == is) return std::nullopt;
  for (CaseResult& c : base.cases) c.backend = is;
  return Note{.kind = NoteKind::renamed_backend, .about = {was, is}};
}

/// Why a case cannot be judged by the launches of its two sides. Those that were disturbed from their first
/// sample to their last do not count.
Note too_few_launches(std::size_t of_base, const Timing& base, std::size_t of_head, const Timing& head) {
  const auto all_of = [](const Timing& side) {
    return static_cast<double>(std::max<std::size_t>(1, side.launches.size()));
  };
  return {
      .kind = NoteKind::few_launches_of_case,
      .figures = {static_cast<double>(of_base), all_of(base), static_cast<double>(of_head), all_of(head)}};
}

/// The logarithms of the values.
std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

double range(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

/// A case whose times can be compared.
struct TimedPair {
  std::size_t index = 0;           // index of the case in the verdicts
  std::vector<double> base, head;  // the logarithms of the launches' medians
  LogRatio ratio;

  /// How far the launches of one side differ: the larger range of the two.
  double range_of_a_side() const { return std::max(range(base), range(head)); }
};

/// The largest probability that launches of two kinds are all of one kind in the base and all of the other in
/// the head, or the reverse. It is reached where both kinds are equally likely.
double chance_of_separate_kinds(std::size_t launches) {
  return 2 * std::pow(0.25, static_cast<double>(launches));
}

/// The fewest launches of each side with which that probability, added up over the cases, is at most `level`.
std::size_t launches_against_kinds(std::size_t cases, double level) {
  std::size_t launches = fewest_launches;
  while (static_cast<double>(cases) * chance_of_separate_kinds(launches) > level) ++launches;
  return launches;
}

/// The number of cases that may have launches of two kinds as far apart as each pair's change: the pair
/// itself, and others whose launches differ by half of the change or more.
std::vector<std::size_t> cases_of_such_kinds(const std::vector<TimedPair>& pairs) {
  std::vector<double> ranges;
  ranges.reserve(pairs.size());
  for (const TimedPair& pair : pairs) ranges.push_back(pair.range_of_a_side());
  std::vector<double> sorted = ranges;
  std::ranges::sort(sorted);
  std::vector<std::size_t> counts;
  counts.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double half = std::abs(pairs[i].ratio.mean) / 2;
    const auto as_far = static_cast<std::size_t>(sorted.end() - std::ranges::lower_bound(sorted, half));
    counts.push_back(as_far + (ranges[i] < half ? 1 : 0));
  }
  return counts;
}

/// The mean change over the pairs, with Welch's interval over the launches that all of them have. Empty if
/// there is no number for it.
std::optional<Ratio> mean_change_of(const std::vector<TimedPair>& pairs) {
  std::vector<std::vector<double>> bases, heads;
  double mean = 0;
  for (const TimedPair& pair : pairs) {
    bases.push_back(pair.base);
    heads.push_back(pair.head);
    mean += pair.ratio.mean / static_cast<double>(pairs.size());
  }
  const auto seconds = [](std::vector<double> logarithms_of_seconds) {
    for (double& value : logarithms_of_seconds) value = std::exp(value);
    return logarithms_of_seconds;
  };
  auto overall = log_ratio(seconds(means_of_launches(heads)), seconds(means_of_launches(bases)));
  if (!overall) return std::nullopt;
  overall->mean = mean;  // of all launches
  const Interval interval = ratio_interval(*overall, 0.95);
  if (!(interval.low > 0) || !std::isfinite(interval.high)) return std::nullopt;
  return Ratio{.value = std::exp(mean), .low = interval.low, .high = interval.high};
}

/// Frees each case once it is compared: files may have a hundred thousand.
class Comparison {
 public:
  Comparison(Result& base, Result& head, const CompareOptions& options)
      : base_(base), head_(head), options_(options) {}

  Verdicts run() {
    start();
    std::unordered_map<std::string, CaseResult*> heads;
    for (CaseResult& c : head_.cases) heads.emplace(key(c), &c);
    for (CaseResult& c : base_.cases) {
      const auto found = heads.find(key(c));
      if (found == heads.end()) {
        add_missing(c);
      } else {
        add_both(c, *found->second);
        *found->second = {};
        heads.erase(found);
      }
      c = {};
    }
    for (const CaseResult& c : head_.cases) {
      if (heads.contains(key(c))) add_new(c);
    }
    decide_all();
    warn();
    return std::move(verdicts_);
  }

 private:
  static std::string key(const CaseResult& c) { return c.id + '\0' + c.backend; }

  static std::vector<Note> reasons_of(const CaseResult& c) {
    return c.reason.empty() ? std::vector<Note>() : std::vector{quoted_note(c.reason)};
  }

  void start() {
    verdicts_.kind = "compare";
    verdicts_.tool_version = version;
    verdicts_.host = head_.host;
    verdicts_.base.backends = base_.backends;
    verdicts_.head.backends = head_.backends;
    verdicts_.base.threads = base_.host.threads;
    verdicts_.head.threads = head_.host.threads;
    verdicts_.threshold = options_.threshold;
    verdicts_.cases.reserve(base_.cases.size());
    for (const auto& [side, result] : {std::pair("base", &base_), std::pair("head", &head_)}) {
      if (!result->complete)
        verdicts_.warnings.push_back({.kind = NoteKind::incomplete_side, .about = {side}});
    }
    of_run_ = noted(run_differences(base_, head_));
    if (base_.host.name != head_.host.name && !base_.host.name.empty() && !head_.host.name.empty())
      verdicts_.warnings.push_back(
          {.kind = NoteKind::renamed_host, .about = {base_.host.name, head_.host.name}});
    for (Note& note : lesser_differences(base_, head_)) verdicts_.warnings.push_back(std::move(note));
    for (const BackendRecord& is : head_.backends) {
      const BackendRecord* was = find_backend(base_.backends, is.name);
      if (was == nullptr) continue;
      for (Note& warning : backend_warnings(is.name, was, &is))
        verdicts_.warnings.push_back(std::move(warning));
    }
  }

  bool allow(const FoundDifference& found) const { return options_.allowed.contains(found.what); }

  /// The differences. Adds a warning for each that is allowed.
  std::vector<FoundDifference> noted(std::vector<FoundDifference> all) {
    for (const FoundDifference& found : all) {
      if (allow(found)) verdicts_.warnings.push_back(with_source("allowed", found.note));
    }
    return all;
  }

  /// The backend's differences, computed once.
  const std::vector<FoundDifference>& of_backend(const std::string& backend) {
    const auto [entry, fresh] = of_backends_.try_emplace(backend);
    if (fresh) entry->second = noted(backend_differences(base_, head_, backend));
    return entry->second;
  }

  CaseVerdict& add(const CaseResult& c, Presence presence) {
    CaseVerdict& made = verdicts_.cases.emplace_back(undecided(c));
    made.presence = presence;
    made.verdict = Verdict::incomparable;
    return made;
  }

  void add_missing(const CaseResult& c) {
    CaseVerdict& made = add(c, Presence::only_base);
    made.base_status = c.status;
    made.base_algorithm = algorithm_with_threads(c);
    if (c.seconds) made.base_seconds = c.seconds->median;
    const BackendRecord* backend = find_backend(head_.backends, c.backend);
    if (backend == nullptr)
      made.reasons = {{.kind = NoteKind::no_backend, .about = {c.backend, "head"}}};
    else if (!backend->available)
      made.reasons = {{.kind = NoteKind::backend_unavailable, .about = {c.backend, "head", backend->reason}}};
    else
      made.reasons = {{.kind = NoteKind::not_measured_in_head}};
  }

  void add_new(const CaseResult& c) {
    CaseVerdict& made = add(c, Presence::only_head);
    made.head_status = c.status;
    made.head_algorithm = algorithm_with_threads(c);
    if (c.seconds) made.head_seconds = c.seconds->median;
    made.reasons = reasons_of(c);
  }

  void add_both(const CaseResult& base, const CaseResult& head) {
    if (base.status == Status::unsupported && head.status != Status::unsupported) {
      add_new(head);  // the base had no time that could get worse
      verdicts_.cases.back().notes.push_back({.kind = NoteKind::unsupported_in_base, .about = {base.reason}});
      return;
    }
    const std::size_t index = verdicts_.cases.size();
    CaseVerdict& made = add(head, Presence::both);
    made.base_status = base.status;
    made.head_status = head.status;
    made.base_algorithm = algorithm_with_threads(base);
    made.head_algorithm = algorithm_with_threads(head);
    if (base.seconds && base.status == Status::ok) made.base_seconds = base.seconds->median;
    if (head.seconds && head.status == Status::ok) made.head_seconds = head.seconds->median;
    if (head.status != Status::ok) {
      made.reasons = reasons_of(head);
    } else if (base.status != Status::ok) {
      made.reasons = reasons_of(base);
    } else if (base.parameters != head.parameters) {
      made.reasons = {{.kind = NoteKind::other_problem}};
    } else if (base.seconds && head.seconds) {
      if (!differ(base, head, made)) compare_times(*base.seconds, *head.seconds, index);
    } else if (!differ(base, head, made, [](Difference what) {
                 return what == Difference::machine || what == Difference::library ||
                        what == Difference::driver;
               })) {
      compare_fits(base, head, made);
    }
  }

  /// True if a difference that is not allowed prevents comparing the two; `made` then lists the differences.
  /// Only differences that `matter` count.
  bool differ(
      const CaseResult& base, const CaseResult& head, CaseVerdict& made,
      const std::function<bool(Difference)>& matter = [](Difference) { return true; }) {
    std::set<Difference> kinds;
    const auto look = [&](const std::vector<FoundDifference>& all) {
      for (const FoundDifference& found : all) {
        if (&all == &of_run_ && is_of_cpus(found.what) && head.device == "gpu") continue;
        if (matter(found.what) && !allow(found)) {
          made.reasons.push_back(found.note);
          kinds.insert(found.what);
        }
      }
    };
    look(of_run_);
    look(of_backend(head.backend));
    const auto of_case = case_differences(base, head);
    look(of_case);
    if (kinds.empty() && algorithm_difference(base, head)) ++other_algorithms_;
    for (const FoundDifference& found : of_case) {
      if (!allow(found)) continue;  // said among the reasons
      if (found.what == Difference::clocks || found.what == Difference::threads)
        made.notes.push_back(found.note);
    }
    for (const Difference kind : kinds) {
      ++refusals_[kind];
      made.differences.emplace_back(name(kind));
    }
    return !kinds.empty();
  }

  /// Compares two results of `fits`, which have a largest problem instead of times.
  static void compare_fits(const CaseResult& base, const CaseResult& head, CaseVerdict& made) {
    if (!base.fit || !head.fit) {
      made.reasons = {{.kind = NoteKind::no_time_on_a_side}};
      return;
    }
    // The search for the largest size ends at a precision of 1 %.
    constexpr double precision = 0.02;
    const auto was = static_cast<double>(base.fit->largest);
    const auto is = static_cast<double>(head.fit->largest);
    const Note largest{.kind = NoteKind::other_fit, .figures = {was, is}};
    if (is < was * (1 - precision)) {
      made.reasons = {largest};
    } else {
      made.verdict = Verdict::same;
      if (base.fit->largest != head.fit->largest) made.notes.push_back(largest);
    }
  }

  void compare_times(const Timing& base, const Timing& head, std::size_t index) {
    CaseVerdict& made = verdicts_.cases[index];
    made.verdict = Verdict::inconclusive;
    const SampleFigures of_base = sample_figures(base), of_head = sample_figures(head);
    if (of_base.count > 0 && of_base.count == of_head.count && of_base.hash == of_head.hash) {
      made.verdict = Verdict::same;
      made.ratio = Ratio{};
      ++same_samples_;
      return;
    }
    const auto was = medians_of_launches(base, of_base);
    const auto is = medians_of_launches(head, of_head);
    if (!was || !is) {
      made.verdict = Verdict::incomparable;
      made.reasons = {{.kind = NoteKind::launches_unknown, .about = {was ? "head" : "base"}}};
      return;
    }
    if (std::min(was->size(), is->size()) < fewest_launches) {
      made.reasons = {too_few_launches(was->size(), base, is->size(), head)};
      const auto taken = std::min(base.launches.size(), head.launches.size());
      too_few_launches_ += taken < fewest_launches ? 1 : 0;
      return;
    }
    timed_pairs_.push_back(
        {.index = index, .base = logarithms(*was), .head = logarithms(*is), .ratio = *log_ratio(*is, *was)});
  }

  /// Raises each standard error to at least the lower quartile of its backend.
  void raise_standard_errors() {
    std::map<std::string, std::vector<double>> errors;
    for (const TimedPair& c : timed_pairs_)
      errors[verdicts_.cases[c.index].backend].push_back(c.ratio.standard_error);
    std::map<std::string, double> least;
    for (auto& [backend, all] : errors) least[backend] = quantile(std::move(all), 0.25);
    for (TimedPair& c : timed_pairs_) {
      c.ratio.standard_error = std::max(c.ratio.standard_error, least[verdicts_.cases[c.index].backend]);
    }
  }

  void decide_all() {
    raise_standard_errors();
    std::vector<double> p_values;
    p_values.reserve(timed_pairs_.size());
    for (const TimedPair& c : timed_pairs_) p_values.push_back(p_value(c.ratio));
    const auto adjusted = holm_adjusted(p_values);
    const auto such_kinds = cases_of_such_kinds(timed_pairs_);
    for (std::size_t i = 0; i < timed_pairs_.size(); ++i) {
      CaseVerdict& c = verdicts_.cases[timed_pairs_[i].index];
      const LogRatio& ratio = timed_pairs_[i].ratio;
      const Interval interval = ratio_interval(ratio, 0.95);
      c.ratio = Ratio{.value = std::exp(ratio.mean), .low = interval.low, .high = interval.high};
      const bool rejected = adjusted[i] <= options_.error_rate;
      const std::size_t needed = launches_against_kinds(such_kinds[i], options_.error_rate);
      const bool enough = std::min(timed_pairs_[i].base.size(), timed_pairs_[i].head.size()) >= needed;
      const bool significant = rejected && enough;
      c.verdict = decide(*c.ratio, options_.threshold, significant);
      c.not_slower = c.verdict == Verdict::inconclusive && not_slower(*c.ratio, options_.threshold);
      if (c.verdict == Verdict::inconclusive)
        c.reasons = {rejected && !enough && !c.not_slower
                         ? Note{.kind = NoteKind::launches_of_two_kinds,
                                .figures = {static_cast<double>(such_kinds[i]), static_cast<double>(needed)}}
                         : why_inconclusive(*c.ratio, options_.threshold, significant)};
    }
    if (timed_pairs_.empty()) return;
    // Identical samples do not show how launches differ.
    if (same_samples_ == 0) verdicts_.mean_change = mean_change_of(timed_pairs_);
    verdicts_.method = {{.kind = NoteKind::method_of_comparison,
                         .figures = {static_cast<double>(timed_pairs_.size()), options_.error_rate / 2}}};
  }

  void warn() {
    const auto warn_of = [&](NoteKind kind, std::size_t cases, std::vector<double> figures = {},
                             std::vector<std::string> about = {}) {
      if (cases == 0) return;
      figures.insert(figures.begin(), static_cast<double>(cases));
      verdicts_.warnings.push_back({.kind = kind, .figures = std::move(figures), .about = std::move(about)});
    };
    warn_of(NoteKind::same_samples, same_samples_);
    warn_of(NoteKind::few_launches, too_few_launches_, {fewest_launches, fewest_launches + 2});
    warn_of(NoteKind::other_algorithm, other_algorithms_);
    for (const auto& [what, count] : refusals_)
      warn_of(NoteKind::not_compared, count, {}, {std::string(name(what))});
  }

  Result& base_;
  Result& head_;
  const CompareOptions& options_;
  Verdicts verdicts_;
  std::vector<TimedPair> timed_pairs_;
  std::vector<FoundDifference> of_run_;
  std::map<std::string, std::vector<FoundDifference>> of_backends_;
  std::map<Difference, std::size_t> refusals_;  // cases that each difference made incomparable
  std::size_t same_samples_ = 0, too_few_launches_ = 0, other_algorithms_ = 0;
};

}  // namespace

Verdicts compare_results(Result base, Result head, const CompareOptions& options) {
  const auto renamed = rename_as_the_head(base, head);
  Verdicts verdicts = Comparison(base, head, options).run();
  if (renamed) {
    verdicts.base.backends.front().name = renamed->about.front();
    verdicts.warnings.push_back(*renamed);
  }
  return verdicts;
}

}  // namespace breakeven
