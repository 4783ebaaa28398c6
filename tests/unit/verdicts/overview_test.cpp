// The summary of all verdicts.
#include "verdicts/overview.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "unit/verdicts_sample.h"
#include "verdicts/sequential.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::pair<std::string, std::size_t>> causes(const Verdicts& verdicts) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const CauseGroup& group : incomparable_by_cause(verdicts))
    found.emplace_back(group.cause, group.cases.size());
  return found;
}

CaseVerdict different(std::int64_t m, std::vector<std::string> differences, const std::string& reason) {
  CaseVerdict c = sample::incomparable(m, reason);
  c.differences = std::move(differences);
  return c;
}

CaseVerdict of_statuses(std::int64_t m, Status base, Status head) {
  CaseVerdict c = sample::incomparable(m, "why");
  c.base_status = base;
  c.head_status = head;
  return c;
}

TEST(IncomparableCases, AreGroupedByCauseTheLargestGroupFirst) {
  const Verdicts verdicts =
      sample::verdicts({of_statuses(1, Status::ok, Status::timed_out),
                        different(2, {"machine", "library"}, "different CPU: A → B"),
                        different(3, {"machine", "library"}, "different CPU: A → B; different clock"),
                        of_statuses(4, Status::wrong, Status::ok), sample::verdict_of(Verdict::same, 5, 1),
                        of_statuses(6, Status::failed, Status::failed),
                        of_statuses(7, Status::ok, Status::unsupported), different(8, {"clocks"}, "")});
  EXPECT_THAT(causes(verdicts),
              ElementsAre(std::pair("different machine and library", 2U), std::pair("the head timed out", 1U),
                          std::pair("the base is wrong", 1U), std::pair("both sides: failed", 1U),
                          std::pair("the head does not support it", 1U), std::pair("different clocks", 1U)));
  const auto groups = incomparable_by_cause(verdicts);
  EXPECT_EQ(groups[0].reason, "different CPU: A → B");
  EXPECT_THAT(groups[0].cases, ElementsAre(&verdicts.cases[1], &verdicts.cases[2]));
}

TEST(IncomparableCases, AreNeitherWrongNorUnsupportedNorNew) {
  CaseVerdict added = sample::incomparable(3, "");
  added.presence = Presence::only_head;
  EXPECT_THAT(causes(sample::verdicts({of_statuses(1, Status::ok, Status::wrong),
                                       of_statuses(2, Status::unsupported, Status::unsupported), added})),
              IsEmpty());
}

TEST(IncomparableCases, AreAlsoThoseThatOneSideLacks) {
  CaseVerdict missing = sample::incomparable(1, "");
  missing.presence = Presence::only_base;
  CaseVerdict broken = of_statuses(2, Status::ok, Status::failed);
  broken.presence = Presence::only_head;
  EXPECT_THAT(causes(sample::verdicts({missing, broken, sample::incomparable(3, "a reason of its own")})),
              ElementsAre(std::pair("missing in the head", 1U), std::pair("new, and the head failed", 1U),
                          std::pair("a reason of its own", 1U)));
}

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
