// The summary of all verdicts.
#include "verdicts/overview.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "unit/verdicts_sample.h"
#include "verdicts/sequential.h"

namespace breakeven {
namespace {

TEST(OverallChange, IsTheGeometricMeanOfWhatWasCompared) {
  CaseVerdict twice = sample::verdict_of(Verdict::slower, 1, 2);
  CaseVerdict half = sample::verdict_of(Verdict::faster, 2, 0.5);
  EXPECT_NEAR(overall_change(sample::verdicts({twice, half}))->ratio, 1, 1e-12);
  CaseVerdict wrong = sample::verdict_of(Verdict::incomparable, 3, 100);
  const auto overall = overall_change(sample::verdicts(
      {twice, sample::verdict_of(Verdict::inconclusive, 4, 8), wrong, sample::incomparable(5, "")}));
  ASSERT_TRUE(overall);
  EXPECT_EQ(overall->cases, 2U);
  EXPECT_NEAR(overall->ratio, 4, 1e-12);
  EXPECT_EQ(overall->interval, std::nullopt) << "without launches, their variation is not known";
}

TEST(ExitStatus, OfInconclusiveCasesIsThatOfTheKindThatFails) {
  const auto status = [](const CaseVerdict& c, FailOn fail_on) {
    return exit_status(sample::verdicts({c, sample::verdict_of(Verdict::same, 4, 1)}), fail_on);
  };
  CaseVerdict c = sample::verdict_of(Verdict::inconclusive, 2, 1.5);
  c.ratio = Ratio{.value = 1.5, .low = 1.1, .high = 2};
  EXPECT_EQ(status(c, FailOn::inconclusive), 3);
  EXPECT_EQ(status(c, FailOn::probable), 3);
  EXPECT_EQ(status(c, FailOn::slower), 0);
  for (const Ratio& ratio :
       {Ratio{.value = 1.5, .low = 0.9, .high = 2}, {.value = 1.02, .low = 1.01, .high = 1.1}}) {
    c.ratio = ratio;
    EXPECT_EQ(status(c, FailOn::inconclusive), 3);
    EXPECT_EQ(status(c, FailOn::probable), 0);
  }
  c.verdict = Verdict::slower;
  for (const FailOn fail_on : {FailOn::inconclusive, FailOn::probable, FailOn::slower})
    EXPECT_EQ(status(c, fail_on), 1);
}

/// A case whose launches have these effects.
CaseVerdict of_effects(std::int64_t m, const std::vector<double>& effects) {
  CaseVerdict c = sample::verdict_of(Verdict::same, m, 1);
  c.ratio = ratio_of({.first = {effects.begin(), effects.end()}, .confirming = {}, .suspected_slower = {}});
  for (const double effect : effects) c.launches.push_back({.base = {1}, .head = {std::exp(effect)}});
  return c;
}

TEST(OverallChange, HasTheIntervalOfTheMeansOfLaunches) {
  // The means are 0, 0.02, 0 and 0.02; only one case has a fifth launch.
  const CaseVerdict one = of_effects(1, {0.01, 0.03, 0.01, 0.03});
  const CaseVerdict other = of_effects(2, {-0.01, 0.01, -0.01, 0.01, 0});
  const auto overall = overall_change(sample::verdicts({one, other}));
  ASSERT_TRUE(overall && overall->interval);
  EXPECT_NEAR(std::log(overall->ratio), 0.01, 1e-12);
  const double half_width = 3.182446 * 0.01 / std::sqrt(3);  // Student's t with 3 degrees of freedom
  EXPECT_NEAR(std::log(overall->interval->low), 0.01 - half_width, 1e-6);
  EXPECT_NEAR(std::log(overall->interval->high), 0.01 + half_width, 1e-6);
}

TEST(OverallChange, LeavesOutLaunchesOfAFileWithoutTimes) {
  CaseVerdict c = of_effects(1, {0, 0.01, 0, 0.01});
  c.launches.push_back({.base = {}, .head = {1}});
  c.launches.push_back({.base = {1}, .head = {0}});
  const auto overall = overall_change(sample::verdicts({c, c}));
  EXPECT_GT(overall->interval.value().high, 1.005);
  EXPECT_LT(overall->interval.value().high, 1.05);
}

TEST(OverallChange, HasNoIntervalWhereACaseHasFewLaunches) {
  const auto overall =
      overall_change(sample::verdicts({of_effects(1, {0, 0.01, 0, 0.01}), of_effects(2, {0, 0.01, 0})}));
  ASSERT_TRUE(overall);
  EXPECT_EQ(overall->interval, std::nullopt);
}

/// A launch may shift all of its cases alike. Were they taken for independent, the interval would contain the
/// true change in a third of gates.
TEST(OverallChange, CoversWhatCasesOfALaunchShare) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal(0, 0.01);
  constexpr int times = 1000;
  int covered = 0;
  for (int i = 0; i < times; ++i) {
    std::vector<std::vector<double>> effects(50, std::vector<double>(6));
    for (std::size_t launch = 0; launch < 6; ++launch) {
      const double shared = normal(generator);
      for (std::vector<double>& of_case : effects) of_case[launch] = shared + normal(generator);
    }
    std::vector<CaseVerdict> cases;
    for (std::size_t c = 0; c < effects.size(); ++c)
      cases.push_back(of_effects(static_cast<std::int64_t>(c + 1), effects[c]));
    const Interval interval = overall_change(sample::verdicts(std::move(cases)))->interval.value();
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(covered, times * 93 / 100);
}

/// Files hold times, so that the interval of `compare` is stored.
TEST(OverallChange, OfAComparisonIsInTheFile) {
  Verdicts of = sample::verdicts({sample::verdict_of(Verdict::same, 1, 1.01)});
  of.mean_change = Ratio{.value = 1.01, .low = 0.99, .high = 1.03};
  const auto overall = overall_change(of);
  EXPECT_EQ(overall->interval, (Interval{.low = 0.99, .high = 1.03}));
}

TEST(OverallChange, IsUnknownWhereNothingWasCompared) {
  EXPECT_FALSE(overall_change(sample::verdicts({sample::incomparable(1, "why")})));
  EXPECT_FALSE(overall_change(sample::verdicts({})));
}

}  // namespace
}  // namespace breakeven
