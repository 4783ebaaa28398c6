// Simulates the gate's verdicts on thousands of suites like the measured ones: makes its decisions, launch by
// launch, on resampled recorded launches. bench/gate_quality.py records them; docs/gate-quality.md
// describes the method.
//
// In a resampled gate, the launches of a case follow one another as in a recorded one for a stretch of random
// length (the stationary bootstrap of Politis and Romano, The stationary bootstrap, Journal of the American
// Statistical Association 1994), so that effects that last for a while, such as a neighbour's load, last here
// as well.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "verdicts/launch_effect.h"
#include "verdicts/measured.h"
#include "verdicts/sequential.h"

namespace {

using Json = nlohmann::ordered_json;
using breakeven::Effects;
using breakeven::GateRules;
using breakeven::Verdict;

constexpr double mean_stretch = 8;  // in launches
constexpr std::array verdicts_alone{breakeven::FileKind::verdict};

/// log(head / base) of every recorded launch of one case, in order of time.
using Recorded = std::vector<double>;

/// The recorded launches by case and backend.
using Recording = std::map<std::string, Recorded>;

Recording read(const std::vector<std::string>& paths) {
  Recording recording;
  const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
  for (const auto& verdicts : breakeven::read_measured(files, verdicts_alone).verdicts) {
    for (const auto& c : verdicts.cases) {
      for (const auto& launch : c.launches)
        recording[c.id + " on " + c.backend].push_back(breakeven::effect_of(launch).middle());
    }
  }
  return recording;
}

/// Returns recorded launches, one after another, in stretches.
class Replay {
 public:
  Replay(const Recorded& recorded, std::mt19937_64& generator)
      : recorded_(recorded), generator_(generator), at_(anywhere()) {}

  double next() {
    const double effect = recorded_[at_];
    at_ =
        std::bernoulli_distribution(1 / mean_stretch)(generator_) ? anywhere() : (at_ + 1) % recorded_.size();
    return effect;
  }

 private:
  std::size_t anywhere() {
    return std::uniform_int_distribution<std::size_t>(0, recorded_.size() - 1)(generator_);
  }

  const Recorded& recorded_;
  std::mt19937_64& generator_;
  std::size_t at_;
};

struct Decided {
  Verdict verdict = Verdict::inconclusive;
  Effects effects;
};

/// Runs a whole gate of one case.
template <typename Next>
Decided gate(Next next, const GateRules& rules) {
  std::vector<breakeven::LaunchEffect> launches;
  while (true) {
    launches.emplace_back(next());
    const breakeven::Decision decision = breakeven::decide_from(launches, rules);
    if (decision.step.next == breakeven::Step::Next::stop)
      return {.verdict = decision.step.verdict, .effects = decision.effects};
  }
}

struct Counts {
  std::size_t suites = 0, failing = 0, cases = 0, launches = 0;
  std::map<Verdict, std::size_t> of;
};

Counts gates(const Recording& recording, std::size_t suites, const GateRules& rules,
             std::mt19937_64& generator) {
  Counts counts;
  for (; counts.suites < suites; ++counts.suites) {
    bool fails = false;
    for (const auto& [of, recorded] : recording) {
      Replay replay(recorded, generator);
      const Decided decided = gate([&] { return replay.next(); }, rules);
      fails = fails || decided.verdict == Verdict::slower;
      ++counts.cases;
      ++counts.of[decided.verdict];
      counts.launches += decided.effects.first.size() + decided.effects.confirming.size();
    }
    if (fails) ++counts.failing;
  }
  return counts;
}

Json to_json(Counts counts) {
  return {{"gates", counts.suites},
          {"failing", counts.failing},
          {"cases", counts.cases},
          {"slower", counts.of[Verdict::slower]},
          {"faster", counts.of[Verdict::faster]},
          {"same", counts.of[Verdict::same]},
          {"inconclusive", counts.of[Verdict::inconclusive]},
          {"launches", counts.launches}};
}

/// The number of gates whose interval contains the true ratio, for several ratios. The true ratio is known:
/// the launches are those of two identical sides, and each gets a random sign, because the sides could have
/// been exchanged in any of them. Their mean is therefore 0, to which the logarithm of the ratio is added.
Json coverage(const Recording& recording, std::size_t suites, const GateRules& rules,
              std::mt19937_64& generator) {
  Json made = Json::array();
  for (const double ratio : {1.0, 1.01, 1.02, 1.03, 1.05, 1.1}) {
    std::size_t trials = 0;
    std::size_t covering = 0;
    for (std::size_t suite = 0; suite < suites; ++suite) {
      for (const auto& [of, recorded] : recording) {
        Replay replay(recorded, generator);
        std::bernoulli_distribution exchanged(0.5);
        const Decided decided = gate(
            [&] { return std::log(ratio) + (exchanged(generator) ? -replay.next() : replay.next()); }, rules);
        const auto interval = breakeven::ratio_of(decided.effects);
        ++trials;
        if (interval && interval->low <= ratio && ratio <= interval->high) ++covering;
      }
    }
    made.push_back({{"ratio", ratio}, {"intervals", trials}, {"covering", covering}});
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What the gate says of suites resampled from recorded ones, as JSON.");
  std::map<std::string, std::vector<std::string>> recorded{
      {"same", {}}, {"burst", {}}, {"work-5", {}}, {"work-10", {}}};
  std::size_t suites = 300;
  for (auto& [name, paths] : recorded)
    app.add_option("--" + name, paths, "verdict files of bench/gate_quality.py's experiment of this name");
  app.add_option("--suites", suites, "gates to resample of each");
  CLI11_PARSE(app, argc, argv);

  std::mt19937_64 generator(5);
  Json made{{"gates", Json::object()}, {"coverage", Json::array()}};
  for (const auto& [name, paths] : recorded) {
    if (paths.empty()) continue;
    const Recording recording = read(paths);
    GateRules rules;
    rules.cases = recording.size();
    made["gates"][name] = to_json(gates(recording, suites, rules, generator));
    if (name == "same") made["coverage"] = coverage(recording, suites, rules, generator);
  }
  fmt::print("{}\n", made.dump());
}
