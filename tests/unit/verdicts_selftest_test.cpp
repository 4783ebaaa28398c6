// What a selftest makes of the gates it tried.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "verdicts/selftest.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseVerdict judged(const std::string& id, Verdict verdict, const std::vector<double>& effects = {}) {
  CaseVerdict made;
  made.id = id;
  made.backend = "a";
  made.verdict = verdict;
  for (const double effect : effects)
    made.launches.push_back({.base = {1, 1}, .head = {std::exp(effect), std::exp(effect)}});
  return made;
}

Selftest sample() {
  Selftest s;
  s.created = "2026-11-22T08:00:00Z";
  s.host.name = "here";
  s.host.cpu = "a CPU";
  s.host.cpu_identity = "AuthenticAMD family 25 model 17 stepping 1";
  s.rules.cases = 50;
  s.counts = {{.share = 0, .suites = 3, .failing = 0, .cases = 150, .same = 149, .inconclusive = 1},
              {.share = 0.05, .suites = 1, .failing = 1, .cases = 50, .slower = 49, .same = 1}};
  s.noise = {{.id = "x", .backend = "a", .launches = 12, .deviation = 0.01, .smallest_change = 0.035}};
  return s;
}

TEST(SelftestCounts, AddUp) {
  InjectedCounts counts;
  Verdicts verdicts;
  verdicts.cases = {judged("1", Verdict::same), judged("2", Verdict::slower), judged("3", Verdict::slower),
                    judged("4", Verdict::inconclusive)};
  counts.add(verdicts);
  verdicts.cases = {judged("1", Verdict::faster), judged("2", Verdict::incomparable)};
  counts.add(verdicts);
  EXPECT_EQ(counts.suites, 2U);
  EXPECT_EQ(counts.failing, 1U) << "a suite fails once";
  EXPECT_EQ(counts.cases, 6U);
  EXPECT_EQ(counts.slower, 2U);
  EXPECT_EQ(counts.faster + counts.same + counts.inconclusive + counts.incomparable, 4U);
}

TEST(SelftestNoise, IsPooledWithinGates) {
  // Each gate's own mean is no noise.
  Verdicts one, other;
  one.cases = {judged("x", Verdict::same, {0.01, -0.01, 0.01, -0.01})};
  other.cases = {judged("x", Verdict::same, {0.11, 0.09, 0.11, 0.09}), judged("few", Verdict::same, {0, 0})};
  GateRules rules;
  const auto noise = noise_of({one, other}, rules);
  ASSERT_EQ(noise.size(), 1U);
  EXPECT_EQ(noise[0].launches, 8U);
  EXPECT_NEAR(noise[0].deviation, 0.01 * std::sqrt(4.0 / 3), 1e-9);
}

TEST(SelftestNoise, TellsWhatAGateFinds) {
  GateRules rules;
  rules.cases = 50;
  EXPECT_NEAR(smallest_change(0, rules), rules.threshold, 1e-12);
  for (const double deviation : {0.005, 0.02, 0.04}) {
    const double change = smallest_change(deviation, rules);
    std::mt19937_64 generator(3);
    std::normal_distribution noise(0.0, deviation);
    int found = 0;
    constexpr int trials = 500;
    for (int i = 0; i < trials; ++i) {
      Effects effects;
      Step step;
      while (step.next != Step::Next::stop) {
        (effects.suspected_slower ? effects.confirming : effects.first)
            .push_back(std::log1p(change) + noise(generator));
        step = next_step(effects, rules);
        if (step.next == Step::Next::confirm) effects.suspected_slower = step.slower;
      }
      found += step.verdict == Verdict::slower ? 1 : 0;
    }
    EXPECT_GE(found, 0.9 * trials) << deviation << " " << change;
  }
}

TEST(SelftestWarnings, AreOfWhatCannotBeTold) {
  const Selftest s = sample();
  GateRules rules = s.rules;
  EXPECT_THAT(selftest_warnings(s, s.host, rules), IsEmpty());
  rules.threshold = 0.001;
  const auto warnings = selftest_warnings(s, s.host, rules);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("could not detect changes of 0.1 % in 1 of 1 cases"));
}

TEST(SelftestWarnings, AreOfFalseAlarms) {
  Selftest s = sample();
  s.counts[0].failing = 3;
  const auto warnings = selftest_warnings(s, s.host, s.rules);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("3 of 3 gates without a change failed on this host"));
}

TEST(SelftestWarnings, AreOfAnotherHost) {
  const Selftest s = sample();
  Host other = s.host;
  other.name = "elsewhere";
  const auto warnings = selftest_warnings(s, other, s.rules);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("is from another host"));
  other = s.host;
  other.cpu_identity = "AuthenticAMD family 26 model 2 stepping 1";
  EXPECT_THAT(
      selftest_warnings(s, other, s.rules),
      ElementsAre(AllOf(HasSubstr("model 17"), HasSubstr("from another processor"), HasSubstr("model 2 "))));
}

/// What the file says of itself may be as long as it likes.
TEST(SelftestWarnings, AreShort) {
  Selftest s = sample();
  s.created = s.host.name = s.host.cpu_identity = std::string(5000, 'x') + "\n\x1b";
  s.noise.front().deviation = 1;
  s.counts.front() = {.share = 0, .suites = 20, .failing = 20};
  Host other = s.host;
  other.cpu_identity = "another";
  const auto here = selftest_warnings(s, s.host, s.rules);
  EXPECT_EQ(here.size(), 2U);
  for (const auto& warnings :
       {here, selftest_warnings(s, other, s.rules), selftest_warnings(s, {}, s.rules)}) {
    ASSERT_FALSE(warnings.empty());
    for (const std::string& warning : warnings) EXPECT_EQ(fault_of_message(warning), "") << warning;
  }
}

TEST(SelftestFile, IsReadAsItIsWritten) {
  const TemporaryFolder folder;
  const Selftest s = sample();
  const std::string text = to_json_text(s);
  const Selftest read = read_selftest(folder.write("s.json", text));
  EXPECT_EQ(to_json_text(read), text);
}

TEST(SelftestFile, SaysWhatIsWrongWithIt) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      read_selftest(folder.write("s.json", text));
    } catch (const ResultError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("{"), HasSubstr("s.json"));
  EXPECT_THAT(error_of("[]"), HasSubstr("make it again"));
  EXPECT_THAT(error_of(R"({"schema": "breakeven.selftest/9"})"),
              HasSubstr("'breakeven.selftest/1' is read here"));
  std::string text = to_json_text(sample());
  text.replace(text.find("\"suites\": 3"), 11, "\"suites\": \"3\"");
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("/injected/0/suites"), HasSubstr("wrong type")));
}

}  // namespace
}  // namespace breakeven
