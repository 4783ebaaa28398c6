// The gate's decisions, and how often they are wrong: by simulation, with fixed seeds.
#include "verdicts/sequential.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

namespace breakeven {
namespace {

using testing::DoubleNear;

using Draw = std::function<double(std::mt19937_64&)>;

/// Normally distributed launches.
Draw normal(double deviation) {
  return [deviation](std::mt19937_64& g) { return std::normal_distribution(0.0, deviation)(g); };
}
/// Launches with outliers, as when other work disturbs them, with the same standard deviation.
Draw heavy_tailed(double deviation) {
  return [deviation](std::mt19937_64& g) {
    return deviation / std::sqrt(3.0) * std::student_t_distribution(3.0)(g);
  };
}
/// Launches of two kinds, as when a process's memory has one of two layouts.
Draw of_two_kinds(double deviation) {
  return [deviation](std::mt19937_64& g) {
    return (std::bernoulli_distribution(0.5)(g) ? deviation : -deviation) * 0.9 +
           std::normal_distribution(0.0, deviation * 0.44)(g);
  };
}

struct Outcome {
  Verdict verdict = Verdict::inconclusive;
  Ratio ratio;
};

/// One case, measured until it is decided.
Outcome decide(double change, const Draw& noise, const GateRules& rules, std::mt19937_64& generator) {
  Effects effects;
  for (;;) {
    const Step step = add_launch(effects, std::log1p(change) + noise(generator), rules);
    if (step.next == Step::Next::stop) {
      return {.verdict = step.verdict, .ratio = ratio_of(effects).value()};
    }
  }
}

/// The fraction of `trials` with each verdict.
std::map<Verdict, double> shares(double change, const Draw& noise, int trials, const GateRules& rules) {
  std::mt19937_64 generator(7);
  std::map<Verdict, double> counts;
  for (int i = 0; i < trials; ++i) counts[decide(change, noise, rules, generator).verdict] += 1.0 / trials;
  return counts;
}

GateRules of_suite(std::size_t cases) {
  GateRules rules;
  rules.cases = cases;
  return rules;
}

std::size_t fewest_to_confirm(std::size_t cases) {
  return static_cast<std::size_t>(confirming_looks(of_suite(cases)).front().launches);
}

TEST(GateLooks, SpendTheirWholeChanceOfError) {
  for (const auto& looks : {first_looks(), confirming_looks(of_suite(50))}) {
    double sum = 0;
    int launches = 1;
    for (const Look& look : looks) {
      EXPECT_GT(look.launches, launches);
      launches = look.launches;
      sum += look.share;
    }
    EXPECT_THAT(sum, DoubleNear(1, 1e-12));
  }
}

TEST(GateLooks, SpendTheirWholeChanceOfSuspicion) {
  double sum = 0;
  for (const Look& look : first_looks()) {
    // Launches of the same sign must be able to raise a suspicion.
    EXPECT_GE(GateRules{}.suspicion / 2 * look.suspicion, std::exp2(-look.launches)) << look.launches;
    sum += look.suspicion;
  }
  EXPECT_THAT(sum, DoubleNear(1, 1e-12));
}

/// Both stages together: `false_alarm` over all cases.
TEST(GateLooks, BoundTheFalseAlarmsOfASuite) {
  const GateRules rules = of_suite(50);
  EXPECT_THAT(50 * rules.suspicion * confirming_error(rules), DoubleNear(rules.false_alarm, 1e-15));
  EXPECT_EQ(fewest_to_confirm(50), 11U);
}

/// The end of a case whose launches deviate by +, -, + half, - half, ... of `noise`, with the launches it
/// took and those that confirmed it: "slower 4+11".
std::string ends(double change, double noise, std::size_t cases) {
  const GateRules rules = of_suite(cases);
  constexpr std::array<double, 6> parts{1, -1, 0.5, -0.5, 0.25, -0.75};
  Effects effects;
  for (std::size_t i = 0; i < 200; ++i) {
    const Step step = add_launch(effects, std::log1p(change) + noise * parts.at(i % parts.size()), rules);
    if (step.next != Step::Next::stop) continue;
    const std::string confirming =
        effects.suspected_slower ? fmt::format("+{}", effects.confirming.size()) : std::string();
    return fmt::format("{} {}{}", name(step.verdict), effects.first.size(), confirming);
  }
  return "never";
}

/// A gate's cost and its decisions change only on purpose.
TEST(GateDecision, TakesSoManyLaunches) {
  struct Row {
    std::size_t cases;
    double change;
    const char* ends;  // with more and more noise
  };
  for (const Row& row : {Row{1, 0, "same 4, same 4, same 13, inconclusive 28"},
                         Row{1, 0.01, "same 4, same 6, same 19, same 28"},
                         Row{1, 0.02, "same 4, same 13, same 28, inconclusive 28"},
                         Row{1, 0.029, "same 28, inconclusive 28, inconclusive 28, inconclusive 28"},
                         Row{1, 0.031, "slower 4+6, slower 4+6, inconclusive 13+22, inconclusive 28"},
                         Row{1, 0.04, "slower 4+6, slower 4+6, slower 13+6, slower 28+22"},
                         Row{1, 0.1, "slower 4+6, slower 4+6, slower 4+6, slower 9+6"},
                         Row{1, -0.02, "same 4, same 13, inconclusive 28, inconclusive 28"},
                         Row{1, -0.04, "faster 4+6, faster 4+6, faster 13+6, faster 28+14"},
                         Row{1, -0.1, "faster 4+6, faster 4+6, faster 4+6, faster 6+6"},
                         Row{50, 0, "same 4, same 4, same 13, inconclusive 28"},
                         Row{50, 0.01, "same 4, same 6, same 19, same 28"},
                         Row{50, 0.02, "same 4, same 13, same 28, inconclusive 28"},
                         Row{50, 0.029, "same 28, inconclusive 28, inconclusive 28, inconclusive 28"},
                         Row{50, 0.031, "slower 4+11, slower 4+11, inconclusive 13+27, inconclusive 28"},
                         Row{50, 0.04, "slower 4+11, slower 4+11, slower 13+11, inconclusive 28+27"},
                         Row{50, 0.1, "slower 4+11, slower 4+11, slower 4+11, slower 9+11"},
                         Row{50, -0.02, "same 4, same 13, inconclusive 28, inconclusive 28"},
                         Row{50, -0.04, "faster 4+11, faster 4+11, faster 13+11, faster 28+27"},
                         Row{50, -0.1, "faster 4+11, faster 4+11, faster 4+11, faster 6+11"}}) {
    std::vector<std::string> found;
    for (const double noise : {0.003, 0.01, 0.03, 0.06}) found.push_back(ends(row.change, noise, row.cases));
    EXPECT_EQ(fmt::format("{}", fmt::join(found, ", ")), row.ends) << row.cases << " " << row.change;
  }
}

TEST(GateDecision, SuspectsNothingByStudentsTAlone) {
  // Two of nine launches have the other sign: of the 512 sign combinations, four are as extreme.
  const Effects effects{.first = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, -0.001, -0.001},
                        .confirming = {},
                        .suspected_slower = {}};
  EXPECT_EQ(next_step(effects, of_suite(50)).next, Step::Next::measure);
}

TEST(GateDecision, ConfirmsNoChangeInTheOtherDirection) {
  Effects effects{.first = {0.05, 0.051, 0.049, 0.05}, .confirming = {}, .suspected_slower = true};
  effects.confirming.resize(fewest_to_confirm(50), -0.05);
  EXPECT_EQ(next_step(effects, of_suite(50)).next, Step::Next::measure);
}

TEST(GateDecision, DoesNotConfirmWhatFurtherLaunchesDoNotShow) {
  Effects effects{.first = {0.05, 0.051, 0.049, 0.05}, .confirming = {}, .suspected_slower = true};
  for (std::size_t i = 0; i < fewest_to_confirm(50); ++i)
    effects.confirming.push_back(i % 2 == 0 ? 0.002 : -0.002);
  EXPECT_EQ(next_step(effects, of_suite(50)).verdict, Verdict::same);
}

/// 28 launches around `change`, so that their 95 % interval is `change` give or take `half`, nearly.
std::vector<LaunchEffect> around(double change, double half) {
  const double step = half * 1.77;
  std::vector<LaunchEffect> effects;
  for (int i = 0; i < 14; ++i) effects.insert(effects.end(), {change - step, change + step});
  return effects;
}

TEST(GateEnding, IsTheSameWhereTheIntervalOfAllLaunchesIsWithinTheThreshold) {
  // -2.6 % (-2.9 to -2.4), from a real gate: the looks' own, wider intervals reach beyond -2.9 %.
  const Effects effects{.first = around(std::log(0.974), 0.003), .confirming = {}, .suspected_slower = {}};
  const Step step = next_step(effects, of_suite(50));
  EXPECT_EQ(step.next, Step::Next::stop);
  EXPECT_EQ(step.verdict, Verdict::same);
}

TEST(GateEnding, IsNotSlowerWhereTheIntervalIsBelowTheThreshold) {
  const Ending ending =
      end_undecided({.first = around(-0.04, 0.04), .confirming = {}, .suspected_slower = {}}, of_suite(50));
  EXPECT_EQ(ending.verdict, Verdict::inconclusive);
  EXPECT_TRUE(ending.not_slower);
}

TEST(GateEnding, StaysInconclusiveWhereItMayBeSlower) {
  const Ending ending =
      end_undecided({.first = around(0.02, 0.02), .confirming = {}, .suspected_slower = {}}, of_suite(50));
  EXPECT_EQ(ending.verdict, Verdict::inconclusive);
  EXPECT_FALSE(ending.not_slower);
}

TEST(GateEnding, ShowsNothingByFewerLaunchesThanTheFirstLookNeeds) {
  const Ending ending =
      end_undecided({.first = {0, 0, 0}, .confirming = {}, .suspected_slower = {}}, of_suite(50));
  EXPECT_EQ(ending.verdict, Verdict::inconclusive);
  EXPECT_FALSE(ending.not_slower);
}

/// The looks may overlook a change by the threshold in 5 % of cases, the ending in another 2.5 %; of 1,000
/// trials chance makes 1.5 % more.
TEST(SlowGateEnding, SeldomOverlooksAChangeByTheThreshold) {
  for (const Draw& noise : {normal(0.03), normal(0.08), heavy_tailed(0.03), heavy_tailed(0.08)}) {
    std::mt19937_64 generator(5);
    constexpr int trials = 1'000;
    int overlooked = 0;
    for (int i = 0; i < trials; ++i) {
      Effects effects;
      Step step;
      while (step.next != Step::Next::stop)
        step = add_launch(effects, std::log1p(0.03) + noise(generator), of_suite(50));
      if (step.verdict == Verdict::inconclusive)
        overlooked += end_undecided(effects, of_suite(50)).not_slower;
      overlooked += step.verdict == Verdict::same || step.verdict == Verdict::faster;
    }
    EXPECT_LE(static_cast<double>(overlooked) / trials, 0.09);
  }
}

TEST(GateDecision, NeedsMoreOfALargerSuite) {
  EXPECT_GT(fewest_to_confirm(50), fewest_to_confirm(1));
  EXPECT_GT(fewest_to_confirm(10'000), fewest_to_confirm(50));
}

TEST(GateDecision, IsClearWhereTimesAreExact) {
  std::mt19937_64 generator(1);
  EXPECT_EQ(decide(0, normal(0), of_suite(50), generator).verdict, Verdict::same);
  EXPECT_EQ(decide(0.05, normal(0), of_suite(50), generator).verdict, Verdict::slower);
  EXPECT_EQ(decide(-0.05, normal(0), of_suite(50), generator).verdict, Verdict::faster);
}

TEST(GateEffect, IsTheMedianOfThePairs) {
  // One sample was disturbed.
  const LaunchEffect effect = effect_of({.base = {1, 1, 1}, .head = {1.1, 5, 1.1}});
  EXPECT_THAT(effect.middle(), DoubleNear(std::log(1.1), 1e-12));
  EXPECT_TRUE(effect.is_known());
}

TEST(GateEffect, IsThatOfUndisturbedPairsIfAThirdOfThemAre) {
  const LaunchEffect effect = effect_of(
      {.base = {1, 1, 1, 1, 1}, .head = {1.1, 1.1, 2, 2, 2}, .own_speed = {0.95, 1, 0.6, 0.6, 0.7}});
  EXPECT_TRUE(effect.is_known());
  EXPECT_THAT(effect.middle(), DoubleNear(std::log(1.1), 1e-12));
}

TEST(GateEffect, HasTheBoundsOfTheFastestHalfElsewhere) {
  const LaunchEffect effect =
      effect_of({.base = {1, 1, 1, 1}, .head = {2, 1.5, 1.5, 2}, .own_speed = {0.5, 0.8, 0.8, 0.4}});
  EXPECT_THAT(effect.lower, DoubleNear(std::log(1.5) - neighbour_bound(0.8), 1e-12));
  EXPECT_THAT(effect.upper, DoubleNear(std::log(1.5) + neighbour_bound(0.8), 1e-12));
}

TEST(GateEffect, NeighboursBoundItTheLessTheFasterTheMachine) {
  EXPECT_EQ(neighbour_bound(1), 0);
  EXPECT_EQ(neighbour_bound(0.95), 0);
  EXPECT_GT(neighbour_bound(0.94), 0.06);
  // Programs that one neighbour slowed 2.1 times and not at all, on a machine at half of its own speed.
  EXPECT_GE(neighbour_bound(0.5), std::log(2.1));
}

/// Launches at a fraction of the machine's own speed whose ratios are `change` on average.
std::vector<LaunchEffect> beside_a_neighbour(double own_speed, double change, int launches) {
  std::mt19937_64 generator(3);
  std::vector<LaunchEffect> all;
  for (int i = 0; i < launches; ++i) {
    const double effect = std::log1p(change) + normal(0.01)(generator);
    all.emplace_back(effect - neighbour_bound(own_speed), effect + neighbour_bound(own_speed));
  }
  return all;
}

TEST(GateDecision, OfASlowMachineIsByBounds) {
  const GateRules rules = of_suite(1);
  const Step found = decide_from(beside_a_neighbour(0.8, 0.5, 40), rules).step;
  EXPECT_EQ(found.next, Step::Next::stop);
  EXPECT_EQ(found.verdict, Verdict::slower);
  EXPECT_EQ(decide_from(beside_a_neighbour(0.8, -1.0 / 3, 40), rules).step.verdict, Verdict::faster);
  // A neighbour may have done it, and further launches may be undisturbed.
  for (const double change : {0.0, 0.3, -0.2})
    EXPECT_EQ(decide_from(beside_a_neighbour(0.8, change, 60), rules).step.next, Step::Next::measure);
}

TEST(GateDecision, OfUndisturbedLaunchesNeedsNoOthers) {
  std::vector<LaunchEffect> launches = beside_a_neighbour(0.5, 0.7, 10);
  for (int i = 0; i < 28; ++i) launches.emplace_back(i % 2 == 0 ? 0.001 : -0.001);
  const Decision decision = decide_from(launches, of_suite(1));
  EXPECT_EQ(decision.step.verdict, Verdict::same);
  EXPECT_LT(ratio_of(decision.effects)->high, 1.01) << "of these alone";
}

TEST(GateEnding, IsNotSlowerWhereTheBoundsShowIt) {
  const Decision decision = decide_from(beside_a_neighbour(0.9, -0.25, 5), of_suite(1));
  EXPECT_TRUE(end_undecided(decision.effects, of_suite(1)).not_slower);
  const Decision unclear = decide_from(beside_a_neighbour(0.9, 0, 20), of_suite(1));
  EXPECT_FALSE(end_undecided(unclear.effects, of_suite(1)).not_slower);
}

struct NoiseCase {
  std::string name;
  Draw (*draw)(double deviation);
  // The looks may miss 5 %, the ending another 2.5 %. Where launches come in two kinds, one time in eight the
  // first four are all of one kind and show nothing of it.
  double missed_most = 0.075, covered_least = 0.93;
};

class GateErrors : public testing::TestWithParam<NoiseCase> {};

TEST_P(GateErrors, AreHeldWhereNothingChanged) {
  // One case's share of a suite of 50 that may fail with a chance of 1 %.
  for (const double deviation : {0.005, 0.01, 0.02, 0.04}) {
    auto seen = shares(0, GetParam().draw(deviation), 10'000, of_suite(50));
    EXPECT_LE(seen[Verdict::slower] + seen[Verdict::faster], 0.01 / 50) << deviation;
  }
}

TEST_P(GateErrors, AreHeldWhereAChangeMatters) {
  for (const double deviation : {0.005, 0.01, 0.02}) {
    auto small = shares(0.05, GetParam().draw(deviation), 2'000, of_suite(50));
    auto large = shares(0.10, GetParam().draw(deviation), 2'000, of_suite(50));
    auto limit = shares(0.03, GetParam().draw(deviation), 2'000, of_suite(50));
    EXPECT_GE(small[Verdict::slower], 0.95) << deviation;
    EXPECT_GE(large[Verdict::slower], 0.99) << deviation;
    EXPECT_LE(limit[Verdict::same], GetParam().missed_most) << deviation;
  }
}

TEST_P(GateErrors, LeaveTheIntervalItsCoverage) {
  for (const double change : {0.0, 0.05}) {
    for (const double deviation : {0.005, 0.01, 0.02, 0.04}) {
      std::mt19937_64 generator(11);
      constexpr int trials = 2'000;
      double covered = 0;
      for (int i = 0; i < trials; ++i) {
        const Outcome outcome = decide(change, GetParam().draw(deviation), of_suite(50), generator);
        covered += outcome.ratio.low <= 1 + change && 1 + change <= outcome.ratio.high;
      }
      EXPECT_GE(covered / trials, GetParam().covered_least) << change << " " << deviation;
    }
  }
}

/// Launches of a head that is slower by `change` in a part of its processes.
Draw slow_in_some(double part, double change) {
  return [part, change](std::mt19937_64& g) {
    return (std::bernoulli_distribution(part)(g) ? std::log1p(change) : 0.0) + normal(0.003)(g);
  };
}

/// The bound on missed changes holds for those that all processes show. The figures are in
/// docs/gate-quality.md.
TEST(SlowGateDecision, MissesAChangeOfSomeProcesses) {
  struct Row {
    double part, change, same, slower;
  };
  for (const Row& row : {Row{.part = 0.2, .change = 0.3, .same = 0.63, .slower = 0.0},
                         Row{.part = 0.3, .change = 0.5, .same = 0.35, .slower = 0.01},
                         Row{.part = 0.4, .change = 0.2, .same = 0.19, .slower = 0.14},
                         Row{.part = 0.5, .change = 0.1, .same = 0.07, .slower = 0.52}}) {
    auto seen = shares(0, slow_in_some(row.part, row.change), 2'000, of_suite(50));
    EXPECT_NEAR(seen[Verdict::same], row.same, 0.03) << row.part;
    EXPECT_NEAR(seen[Verdict::slower], row.slower, 0.03) << row.part;
  }
}

INSTANTIATE_TEST_SUITE_P(SlowLaunches, GateErrors,
                         testing::Values(NoiseCase{"normal", normal}, NoiseCase{"heavy_tailed", heavy_tailed},
                                         NoiseCase{"of_two_kinds", of_two_kinds, 0.1, 0.88}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace breakeven
