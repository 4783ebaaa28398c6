// Simulates every verdict where nothing changed, under one list of noises, through the functions that the
// commands call, and prints how often each says something false, or what is still found in that noise.
//   bench-verdicts-in-noise [--trials 200] [--only fleet]
//   bench-verdicts-in-noise --power [--only fleet]
// Exit status 1 if something false is said more often than its limit, beyond what chance explains.
//
// A time is exp(noise) of what it takes. Launches differ by the noise's kind. For run, rank and threshold,
// all launches of a run also share the run's own noise. For history, runs may resemble the runs
// before. The deviations are of the logarithm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "history/check.h"
#include "rank/rank.h"
#include "reports/document/standings.h"
#include "statistics/summary.h"
#include "unit/reports_sample.h"
#include "verdicts/break_even.h"
#include "verdicts/break_even_from_results.h"
#include "verdicts/compare.h"
#include "verdicts/fleet.h"
#include "verdicts/launch_effect.h"
#include "verdicts/sequential.h"
#include "verdicts/threshold.h"

namespace {

using namespace breakeven;  // NOLINT(google-build-using-namespace): a program of its own
using Generator = std::mt19937_64;

// ---- noise

/// Draws with mean 0 and standard deviation 1, unless the variance does not exist.
struct Kind {
  std::string name;
  std::function<double(Generator&)> draw;
};

double normal(Generator& generator) {
  return std::normal_distribution<double>()(generator);
}

double student(double freedom, Generator& generator) {
  return std::student_t_distribution<double>(freedom)(generator) / std::sqrt(freedom / (freedom - 2));
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"normal", normal},
      {"t, 3 degrees", [](Generator& g) { return student(3, g); }},
      {"t, 5 degrees", [](Generator& g) { return student(5, g); }},
      // One launch of ten has another layout of its memory, three deviations slower.
      {"rare slow layouts",
       [](Generator& g) {
         const double slower = std::bernoulli_distribution(0.1)(g) ? 3 : 0;
         return (normal(g) + slower - 0.3) / std::sqrt(1 + 9 * 0.09);
       }},
      {"skew", [](Generator& g) { return std::exponential_distribution<double>(1)(g) - 1; }}};
  return all;
}

/// Noise of runs that resemble the run before, and of a machine that wanders.
struct Drift {
  std::string name;
  double correlation = 0;
  double step = 0;  // of the machine's level, from run to run
};

const Drift independent{"independent", 0, 0};
const Drift alike{"launches that resemble each other, 0.5", 0.5, 0};

class DriftingNoise {
 public:
  DriftingNoise(const Drift& drift, const Kind& kind, double deviation, Generator& generator)
      : drift_(drift),
        kind_(kind),
        deviation_(deviation),
        generator_(generator),
        state_(kind.draw(generator)) {
    for (int i = 0; i < 50; ++i) next();  // forgets how it began
    level_ = 0;
  }
  double next() {
    const double fresh = std::sqrt(1 - drift_.correlation * drift_.correlation);
    state_ = drift_.correlation * state_ + fresh * kind_.draw(generator_);
    level_ += drift_.step * normal(generator_);
    return deviation_ * state_ + level_;
  }

 private:
  const Drift& drift_;
  const Kind& kind_;
  double deviation_;
  Generator& generator_;
  double state_;
  double level_ = 0;
};

// ---- results

/// A product on a backend, with these medians of its launches.
CaseResult product(const std::string& backend, std::int64_t m, const std::vector<double>& launches,
                   double half_width) {
  CaseResult r = sample::product(backend, m, 1);
  Timing& seconds = r.seconds.emplace();
  // Samples of a launch differ by half of the width that their interval has, as measured ones do.
  constexpr std::array<double, 10> spread{-1.6, -1.0, -0.65, -0.35, -0.1, 0.1, 0.35, 0.65, 1.0, 1.6};
  std::vector<std::vector<double>> by_launch;
  for (const double median_of_launch : launches) {
    std::vector<double>& samples = by_launch.emplace_back();
    for (const double part : spread) samples.push_back(median_of_launch * std::exp(part * half_width));
    seconds.samples.insert(seconds.samples.end(), samples.begin(), samples.end());
    seconds.launches.push_back(std::ssize(samples));
  }
  seconds.median = median(seconds.samples);
  if (const auto interval = median_interval(by_launch)) {
    seconds.ci_low = interval->low;
    seconds.ci_high = interval->high;
  }
  return r;
}

Result result_of(const std::string& host, std::vector<CaseResult> cases) {
  Result result;
  result.created = "2026-11-01T12:00:00Z";
  result.complete = true;
  result.host.name = host;
  result.host.cpu = host + "'s CPU";
  result.host.cores = result.host.cpus = 2;
  result.host.threads = 2;
  result.cases = std::move(cases);
  return result;
}

/// The machine and what varies between its launches and runs, as standard deviations.
struct Spread {
  double process = 0.01, run = 0.005;
  std::size_t launches = 5;
};

/// A run of `cases` products on each of `backends` backends, all equally fast.
Result run_of(const std::string& host, std::size_t cases, std::size_t backends, const Spread& spread,
              const Kind& kind, Generator& generator) {
  const double of_run = spread.run * kind.draw(generator);
  std::vector<CaseResult> all;
  for (std::size_t c = 0; c < cases; ++c) {
    for (std::size_t b = 0; b < backends; ++b) {
      std::vector<double> launches;
      for (std::size_t l = 0; l < spread.launches; ++l)
        launches.push_back(1e-3 * std::exp(of_run + spread.process * kind.draw(generator)));
      all.push_back(product(fmt::format("b{}", b), 64 + static_cast<std::int64_t>(c), launches, 0.003));
    }
  }
  return result_of(host, std::move(all));
}

// ---- counts

class Counts {
 public:
  explicit Counts(std::size_t trials) : trials_(trials) {}

  /// Counts in how many trials `says` is true, each with a generator of its own. No `limit` is promised if it
  /// is 1.
  void count(const std::string& verdict, const std::string& noise, const std::string& what, double limit,
             const std::function<bool(Generator&)>& says, std::size_t part = 1) {
    const std::size_t trials = std::max<std::size_t>(1, trials_ / part);
    std::size_t said = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      Generator generator(1000 * trial + 17);
      said += says(generator) ? 1 : 0;
    }
    const Interval interval = proportion_interval(said, trials);
    const double percent = 100 * static_cast<double>(said) / static_cast<double>(trials);
    const bool is_above = interval.low > limit;
    fmt::print("| {} | {} | {} | {:.1f} % ({:.1f} to {:.1f}) | {} |{}\n", verdict, noise, what, percent,
               100 * interval.low, 100 * interval.high, limit < 1 ? fmt::format("{:g} %", 100 * limit) : "",
               is_above ? " ABOVE ITS LIMIT" : "");
    std::cout.flush();
    is_above_any_ = is_above_any_ || is_above;
  }
  bool is_above_any() const { return is_above_any_; }

 private:
  std::size_t trials_;
  bool is_above_any_ = false;
};

// ---- the verdicts

/// 50 cases, each with launches of both sides.
bool gate_calls_one_slower(const Kind& kind, const Drift& drift, double deviation, Generator& generator) {
  constexpr std::size_t cases = 50;
  const GateRules rules{.cases = cases};
  for (std::size_t c = 0; c < cases; ++c) {
    DriftingNoise base(drift, kind, deviation / std::sqrt(2.0), generator);
    DriftingNoise head(drift, kind, deviation / std::sqrt(2.0), generator);
    std::vector<LaunchEffect> launches;
    Step step;
    while (step.next != Step::Next::stop) {
      launches.emplace_back(head.next() - base.next());
      step = decide_from(launches, rules).step;
    }
    if (step.verdict == Verdict::slower) return true;
  }
  return false;
}

void simulate_gate(Counts& counts) {
  for (const double deviation : {0.013, 0.05}) {
    const std::string name = fmt::format("gate, 50 cases of {:g} %", 100 * deviation);
    for (const Kind& kind : kinds())
      counts.count(name, kind.name, "any is slower", 0.01,
                   [&](Generator& g) { return gate_calls_one_slower(kind, independent, deviation, g); });
    counts.count(name, alike.name, "any is slower", 1,
                 [&](Generator& g) { return gate_calls_one_slower(kinds().front(), alike, deviation, g); });
  }
}

/// Two runs of 50 cases of one machine, at different times.
void simulate_compare(Counts& counts) {
  for (const Kind& kind : kinds()) {
    for (const std::size_t launches : {5U, 10U}) {
      const std::string name = fmt::format("compare, 50 cases, {} launches", launches);
      counts.count(
          name, kind.name, "any is slower", 0.01,
          [&](Generator& g) {
            const Spread spread{.launches = launches};
            const Result base = run_of("host", 50, 1, spread, kind, g);
            const Result head = run_of("host", 50, 1, spread, kind, g);
            const Verdicts verdicts = compare_results(base, head, {});
            return std::ranges::any_of(verdicts.cases,
                                       [](const CaseVerdict& one) { return one.verdict == Verdict::slower; });
          },
          4);
    }
  }
}

void simulate_marks(Counts& counts) {
  for (const Kind& kind : kinds()) {
    for (const std::size_t launches : {1U, 3U, 5U}) {
      for (const std::size_t backends : {2U, 3U, 5U, 10U}) {
        const std::string name =
            fmt::format("run, {} equal backends, {} launch{}", backends, launches, launches == 1 ? "" : "es");
        counts.count(name, kind.name, "any is slower", 0.05, [&](Generator& g) {
          const Result run = run_of("host", 1, backends, {.launches = launches}, kind, g);
          const std::vector<ProblemGroup> groups = compare_backends(Measurements({&run}));
          return std::ranges::any_of(groups.front().problems.front().entries,
                                     [](const Entry& entry) { return entry.standing == Standing::slower; });
        });
      }
    }
  }
}

/// The second machine has other backends, as many or more, all as fast.
void simulate_rank(Counts& counts) {
  struct Sizes {
    std::size_t cases, backends, others;
  };
  for (const Kind& kind : kinds()) {
    for (const std::size_t launches : {1U, 5U}) {
      for (const Sizes& sizes : {Sizes{5, 1, 1}, Sizes{20, 3, 3}, Sizes{20, 1, 6}}) {
        const std::string name =
            fmt::format("rank, {} cases, {} and {} backend{}, {} launch{}", sizes.cases, sizes.backends,
                        sizes.others, sizes.others == 1 ? "" : "s", launches, launches == 1 ? "" : "es");
        const auto ranked = [&](Generator& g) {
          const Spread spread{.launches = launches};
          return std::vector{run_of("a", sizes.cases, sizes.backends, spread, kind, g),
                             run_of("b", sizes.cases, sizes.others, spread, kind, g)};
        };
        constexpr std::size_t part = 4;
        const auto places_differ = [&](Generator& g) {
          const std::vector<Result> results = ranked(g);
          return rank_results(results, {}).ranked.back().place != 1;
        };
        const auto truth_is_outside = [&](Generator& g) {
          const std::vector<Result> results = ranked(g);
          const Ranking ranking = rank_results(results, {});
          const auto second = std::ranges::find_if(
              ranking.ranked, [](const Ranked& one) { return one.candidate.host.name == "b"; });
          const auto& interval = second->seconds->interval;
          return interval->low > 1e-3 || interval->high < 1e-3;
        };
        counts.count(name, kind.name, "places differ", 0.05, places_differ, part);
        counts.count(name, kind.name, "the truth is outside the interval", 0.1, truth_is_outside, part);
      }
    }
  }
}

/// A challenger whose time, over the baseline's, falls from an offset to a share at large values: they cross
/// at 300.5. Where it has no crossing, the ratio is the share everywhere.
struct Curve {
  std::string name;
  double share = 1;
  bool has_crossing = true;

  double log_ratio(std::int64_t value) const {
    constexpr double crossing = 300.5;
    return std::log(has_crossing ? share + (1 - share) * crossing / static_cast<double>(value) : share);
  }
};
const std::vector<Curve>& curves() {
  static const std::vector<Curve> all{
      {"a challenger that ends at 0.3 of the time", 0.3}, {"a challenger that ends at 0.8", 0.8},
      {"a challenger that ends at 0.95", 0.95},           {"a challenger that ends at 0.98", 0.98},
      {"sides that take equally long", 1, false},         {"a challenger that takes 1 % more", 1.01, false}};
  return all;
}

/// True if the answer states the slower side to be faster, or less than 2 % between sides that differ by
/// more.
bool states_something_false(const BreakEven& found, const Curve& curve) {
  for (std::int64_t value = 16; value <= 8192; value += 1 + value / 20) {
    const double truth = curve.log_ratio(value);
    const auto stated = found.stated_at(value);
    if (stated == Lead::challenger && truth >= 0) return true;
    if (stated == Lead::baseline && truth <= 0) return true;
    if (stated == Lead::neither && std::abs(truth) > 0.02) return true;
  }
  return false;
}

BreakEven searched(const Curve& curve, double deviation, const Drift& drift, const Kind& kind,
                   Generator& generator) {
  BreakEvenSearch search({.from = 16, .to = 8192});
  DriftingNoise noise(drift, kind, deviation, generator);
  while (const auto value = search.next()) search.add(*value, curve.log_ratio(*value) + noise.next());
  return search.answer();
}

void simulate_search(Counts& counts) {
  constexpr std::size_t part = 2;
  const auto count = [&](const Curve& curve, double deviation, const Drift& drift, const Kind& kind) {
    counts.count(
        fmt::format("threshold, {:g} % noise, {}", 100 * deviation, curve.name),
        drift.correlation > 0 ? drift.name : kind.name, "something false", drift.correlation > 0 ? 1 : 0.05,
        [&](Generator& g) {
          return states_something_false(searched(curve, deviation, drift, kind, g), curve);
        },
        part);
  };
  for (const Curve& curve : curves()) {
    for (const double deviation : {0.005, 0.015, 0.03}) count(curve, deviation, independent, kinds().front());
    for (const Kind& kind : kinds()) {
      if (&kind != &kinds().front()) count(curve, 0.015, independent, kind);
    }
    count(curve, 0.015, alike, kinds().front());
  }
}

/// Runs of two machines with the sizes 16 to 1,024. The first takes `ratio` of the second's time.
Threshold from_results(const std::function<double(std::int64_t)>& ratio, const Spread& spread,
                       const Kind& kind, Generator& generator) {
  std::array<Result, 2> results{result_of("a", {}), result_of("b", {})};
  for (const std::size_t side : {0U, 1U}) {
    const double of_run = spread.run * kind.draw(generator);
    for (std::int64_t m = 16; m <= 1024; m *= 2) {
      std::vector<double> seconds(spread.launches);
      for (double& one : seconds)
        one = 1e-3 * (side == 0 ? ratio(m) : 1) * std::exp(of_run + spread.process * kind.draw(generator));
      results.at(side).cases.push_back(product("backend", m, seconds, 0.003));
    }
  }
  return threshold_from_results(results, "m");
}

void simulate_from_results(Counts& counts) {
  // It rises with the cube of the value, from an offset, so that the curve bends. They cross at 99.
  const auto bent = [](std::int64_t m) { return 0.3 + 0.7 * std::pow(static_cast<double>(m) / 99, 3); };
  const auto equal = [](std::int64_t) { return 1.0; };
  for (const Kind& kind : kinds()) {
    counts.count("threshold --from-results", kind.name, "the crossing is not in what is shown", 0.1,
                 [&](Generator& g) {
                   const Threshold found = from_results(bent, {.process = 0.005}, kind, g);
                   return std::ranges::none_of(
                       found.answers.front().found.changes, [](const LeadChange& change) {
                         return change.interval.low <= 99 && 99 <= change.interval.high;
                       });
                 });
    for (const std::size_t launches : {1U, 5U})
      counts.count(fmt::format("threshold --from-results, alike machines, {} launch{}", launches,
                               launches == 1 ? "" : "es"),
                   kind.name, "one is faster at some values", 0.05, [&](Generator& g) {
                     const BreakEven found =
                         from_results(equal, {.launches = launches}, kind, g).answers.front().found;
                     return found.answer != BreakEven::Answer::neither || !found.changes.empty();
                   });
  }
}

/// Nodes with twelve tests each. Of the first, all tests take `factor` times as long, or the first test
/// alone.
struct SimulatedFleet {
  std::size_t nodes = 8, runs = 1, slow = 0;
  double factor = 1;
  bool is_everywhere = true;

  Fleet judged(const Kind& kind, Generator& generator) const {
    std::vector<Result> results;
    std::vector<std::string> files;
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t run = 0; run < runs; ++run) {
        files.push_back(fmt::format("{}-{}.json", node, run));
        Result& result = results.emplace_back(result_of(fmt::format("node{}", node), {}));
        result.created = fmt::format("2026-11-01T{:02}:00:00Z", run);
        result.sampling = Sampling{.wall_seconds = 60};
        result.host.cpu = "CPU";
        for (int test = 0; test < 12; ++test) {
          const bool is_slow = node < slow && (is_everywhere || test == 0);
          const double seconds = 1e-3 * std::exp(0.01 * kind.draw(generator)) * (is_slow ? factor : 1);
          result.cases.push_back(product(fmt::format("b{}", test), 64, {seconds}, 0.003));
        }
      }
    }
    return judge_fleet(results, files, {.threshold = 0});
  }
};

void simulate_fleet(Counts& counts) {
  for (const Kind& kind : kinds()) {
    for (const auto& [nodes, runs] : std::vector<std::pair<std::size_t, std::size_t>>{
             {3, 1}, {5, 1}, {8, 1}, {16, 1}, {50, 1}, {3, 2}, {8, 2}, {16, 2}, {8, 3}}) {
      const SimulatedFleet fleet{.nodes = nodes, .runs = runs};
      const auto status = [&](Generator& g) { return exit_status(fleet.judged(kind, g)); };
      const std::string name =
          fmt::format("fleet, {} nodes, {} run{} each", nodes, runs, runs == 1 ? "" : "s");
      const std::size_t part = nodes >= 16 ? 4 : 1;
      counts.count(
          name, kind.name, "a node is slower", 0.02, [&](Generator& g) { return status(g) == 1; }, part);
    }
  }
}

/// A history of 50 series with 100 runs. The newest runs are slower by a step.
bool history_finds(const Drift& drift, const Kind& kind, double deviation, double step, std::size_t newest,
                   Generator& generator) {
  constexpr std::size_t runs = 100, series = 50;
  History history;
  history.machines = {{.id = 1, .name = "host", .description = ""}};
  for (std::size_t run = 0; run < runs; ++run)
    history.runs.push_back({.id = static_cast<std::int64_t>(run),
                            .machine = 1,
                            .commit = "",
                            .branch = "",
                            .time = "",
                            .source = ""});
  for (std::size_t s = 0; s < series; ++s) {
    DriftingNoise noise(drift, kind, deviation, generator);
    Series& one = history.series.emplace_back(Series{.id = static_cast<std::int64_t>(s),
                                                     .machine = 1,
                                                     .case_id = fmt::format("case{}", s),
                                                     .backend = "b"});
    for (std::size_t run = 0; run < runs; ++run) {
      const double slower = s == 0 && run + newest >= runs ? step : 0;
      one.measurements.push_back({.run = run, .seconds = 1e-3 * std::exp(noise.next()) * (1 + slower)});
    }
  }
  const HistoryCheck check = check_history(history, {});
  return std::ranges::any_of(check.changes,
                             [&](const Change& change) { return step == 0 || change.series->id == 0; });
}

const std::vector<Drift>& drifts() {
  static const std::vector<Drift> all{{"runs that resemble each other, 0.2", 0.2, 0},
                                      {"runs that resemble each other, 0.5", 0.5, 0},
                                      {"runs that resemble each other, 0.8", 0.8, 0},
                                      {"a machine that wanders by 0.2 % a run", 0, 0.002}};
  return all;
}

void simulate_history(Counts& counts) {
  constexpr std::size_t part = 2;
  for (const double deviation : {0.01, 0.02}) {
    const std::string name = fmt::format("history, 50 series, 100 runs of {:g} %", 100 * deviation);
    for (const Kind& kind : kinds()) {
      counts.count(
          name, kind.name, "a change", 0.02,
          [&](Generator& g) { return history_finds(independent, kind, deviation, 0, 0, g); }, part);
    }
    for (const Drift& drift : drifts()) {
      counts.count(
          name, drift.name, "a change", 0.02,
          [&](Generator& g) { return history_finds(drift, kinds().front(), deviation, 0, 0, g); }, part);
    }
  }
}

// ---- what is still found

/// True if all nodes made slow are found, at least as probably slower if that is enough.
bool finds_all(const SimulatedFleet& made, bool is_probable_enough, Generator& generator) {
  std::vector<bool> found(made.slow);
  for (const NodeStanding& s : made.judged(kinds().front(), generator).standings) {
    const bool counts = made.is_everywhere || s.backend == "b0";
    if (s.node < made.slow && counts && (s.is_slower || (is_probable_enough && s.is_probably_slower)))
      found[s.node] = true;
  }
  return std::ranges::all_of(found, [](bool one) { return one; });
}

/// The smallest of these factors from which on nine of ten fleets are found; "not even 100x".
std::string found_from(SimulatedFleet made, bool is_probable_enough, std::size_t trials) {
  for (const double factor : {1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.1, 1.12, 1.15, 1.2,  1.25,
                              1.3,  1.4,  1.5,  1.7,  2.0,  2.5,  3.0, 4.0,  5.0,  10.0, 100.0}) {
    made.factor = factor;
    std::size_t found = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      Generator generator(trial);
      found += finds_all(made, is_probable_enough, generator) ? 1 : 0;
    }
    if (10 * found >= 9 * trials) return fmt::format("{:g}x", factor);
  }
  return "not even 100x";
}

void print_found_fleets(std::size_t trials) {
  fmt::print(
      "\n| nodes | runs of each | equally slow | slower, in one test of twelve | at least probably | slower, "
      "in "
      "all tests | at least probably |\n|---|---|---|---|---|---|---|\n");
  for (const auto& [nodes, runs, slow] : std::vector<std::array<std::size_t, 3>>{{3, 1, 1},
                                                                                 {4, 1, 1},
                                                                                 {5, 1, 1},
                                                                                 {8, 1, 1},
                                                                                 {8, 1, 2},
                                                                                 {8, 1, 3},
                                                                                 {16, 1, 1},
                                                                                 {50, 1, 1},
                                                                                 {3, 2, 1},
                                                                                 {5, 2, 1},
                                                                                 {5, 2, 2},
                                                                                 {8, 2, 1},
                                                                                 {8, 2, 2},
                                                                                 {8, 2, 3},
                                                                                 {16, 2, 1},
                                                                                 {5, 3, 1},
                                                                                 {8, 3, 1}}) {
    fmt::print("| {} | {} | {} |", nodes, runs, slow);
    for (const bool is_everywhere : {false, true}) {
      for (const bool is_probable_enough : {false, true})
        fmt::print(" {} |",
                   found_from({.nodes = nodes, .runs = runs, .slow = slow, .is_everywhere = is_everywhere},
                              is_probable_enough, trials));
    }
    fmt::print("\n");
    std::cout.flush();
  }
}

void print_found_crossings(std::size_t trials) {
  fmt::print(
      "\n| curve | noise | its crossing is in an interval | no answer | interval, high over low (median) | "
      "launches "
      "|\n|---|---|---|---|---|---|\n");
  for (const Curve& curve : curves()) {
    for (const double deviation : {0.005, 0.015, 0.03}) {
      std::size_t found = 0, unclear = 0, launches = 0;
      std::vector<double> widths;
      for (std::size_t trial = 0; trial < trials; ++trial) {
        Generator generator(trial);
        const BreakEven answer = searched(curve, deviation, independent, kinds().front(), generator);
        launches += answer.launches;
        unclear += answer.answer == BreakEven::Answer::unclear ? 1 : 0;
        // A range in which the sides are said to differ by less than 2 % counts as an interval, too.
        const auto has = [](const auto& interval) { return interval.low <= 300.5 && 300.5 <= interval.high; };
        for (std::size_t i = 0; i < answer.changes.size(); ++i) {
          Interval interval = answer.changes[i].interval;
          if (answer.changes[i].above == Lead::neither && i + 1 < answer.changes.size())
            interval.high = answer.changes[++i].interval.high;
          if (!has(interval)) continue;
          ++found;
          widths.push_back(interval.high / interval.low);
        }
      }
      const auto percent = [&](std::size_t count) {
        return 100 * static_cast<double>(count) / static_cast<double>(trials);
      };
      fmt::print("| {} | {:g} % | {} | {:.0f} % | {} | {:.0f} |\n", curve.name, 100 * deviation,
                 curve.has_crossing ? fmt::format("{:.0f} %", percent(found)) : "", percent(unclear),
                 widths.empty() ? "" : fmt::format("{:.2f}", median(widths)),
                 static_cast<double>(launches) / static_cast<double>(trials));
      std::cout.flush();
    }
  }
}

void print_found_steps(std::size_t trials) {
  fmt::print(
      "\n| runs | deviation | step | found after 4 runs | 6 | 10 | 20 |\n|---|---|---|---|---|---|---|\n");
  for (const Drift& drift : {Drift{"independent", 0, 0}, Drift{"resemble each other, 0.5", 0.5, 0}}) {
    for (const double deviation : {0.01, 0.02}) {
      for (const double step : {0.03, 0.05, 0.1}) {
        fmt::print("| {} | {:g} % | {:g} % |", drift.name, 100 * deviation, 100 * step);
        for (const std::size_t newest : {4U, 6U, 10U, 20U}) {
          std::size_t found = 0;
          for (std::size_t trial = 0; trial < trials; ++trial) {
            Generator generator(trial);
            found += history_finds(drift, kinds().front(), deviation, step, newest, generator) ? 1 : 0;
          }
          fmt::print(" {:.0f} % |", 100 * static_cast<double>(found) / static_cast<double>(trials));
        }
        fmt::print("\n");
        std::cout.flush();
      }
    }
  }
}

struct Simulation {
  std::string name;
  void (*run)(Counts&);
};
const std::vector<Simulation> simulations{
    {"gate", simulate_gate},   {"compare", simulate_compare},  {"marks", simulate_marks},
    {"rank", simulate_rank},   {"threshold", simulate_search}, {"from-results", simulate_from_results},
    {"fleet", simulate_fleet}, {"history", simulate_history}};

}  // namespace

int main(int count, char** arguments) {
  std::size_t trials = 200;
  std::vector<std::string> only;
  bool is_power_shown = false;
  CLI::App app("Simulates every verdict under one list of noises");
  app.add_option("--trials", trials, "of each row");
  std::vector<std::string> names;
  names.reserve(simulations.size());
  for (const Simulation& simulation : simulations) names.push_back(simulation.name);
  app.add_option("--only", only, "these verdicts")->check(CLI::IsMember(names));
  app.add_flag("--power", is_power_shown, "print what threshold, fleet and history still find");
  CLI11_PARSE(app, count, arguments);
  const auto is_asked = [&](const std::string& name) {
    return only.empty() || std::ranges::find(only, name) != only.end();
  };
  if (is_power_shown) {
    if (is_asked("threshold")) print_found_crossings(trials);
    if (is_asked("fleet")) print_found_fleets(trials);
    if (is_asked("history")) print_found_steps(trials);
    return 0;
  }
  Counts counts(trials);
  fmt::print("| verdict | noise | says | trials in which it does (95 %) | limit |\n|---|---|---|---|---|\n");
  for (const Simulation& simulation : simulations) {
    if (is_asked(simulation.name)) simulation.run(counts);
  }
  return counts.is_above_any() ? 1 : 0;
}
