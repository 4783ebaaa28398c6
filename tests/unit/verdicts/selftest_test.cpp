// Tests the evaluation of a selftest's gates.
#include "verdicts/selftest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "reports/words/notes.h"
#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

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
  s.noise = {{.id = "x",
              .backend = "a",
              .launches = 12,
              .deviation = 0.01,
              .bound = 0.001,
              .smallest_change = 0.035}};
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
  // The mean of each gate does not count as noise.
  Verdicts one, other;
  one.cases = {judged("x", Verdict::same, {0.01, -0.01, 0.01, -0.01})};
  other.cases = {judged("x", Verdict::same, {0.11, 0.09, 0.11, 0.09}), judged("few", Verdict::same, {0, 0})};
  GateRules rules;
  const auto noise = noise_of({one, other}, rules);
  ASSERT_EQ(noise.size(), 1U);
  EXPECT_EQ(noise[0].launches, 8U);
  EXPECT_NEAR(noise[0].deviation, 0.01 * std::sqrt(4.0 / 3), 1e-9);
}

TEST(SelftestNoise, IsWidenedByWhatNeighboursCanHide) {
  const GateRules rules;
  CaseVerdict c = judged("x", Verdict::inconclusive, {0, 0, 0, 0});
  for (LaunchSamples& launch : c.launches) launch.own_speed.assign(launch.base.size(), 0.8);
  Verdicts gate;
  gate.cases = {c};
  const auto noise = noise_of({gate}, rules);
  ASSERT_EQ(noise.size(), 1U);
  EXPECT_NEAR(noise[0].bound, neighbour_bound(0.8), 1e-12);
  EXPECT_NEAR(noise[0].smallest_change, std::exp(neighbour_bound(0.8)) * (1 + rules.threshold) - 1, 1e-9);
}

TEST(SelftestNoise, TellsWhatAGateFinds) {
  GateRules rules;
  rules.cases = 50;
  EXPECT_NEAR(smallest_change(0, 0, rules), rules.threshold, 1e-12);
  for (const double deviation : {0.005, 0.02, 0.04}) {
    const double change = smallest_change(deviation, 0, rules);
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
  EXPECT_THAT(note_text(warnings[0]), HasSubstr("could not detect changes of 0.1 % in 1 of 1 case on"));
}

TEST(SelftestWarnings, AreOfFalseAlarms) {
  Selftest s = sample();
  s.counts[0].failing = 3;
  const auto warnings = selftest_warnings(s, s.host, s.rules);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(note_text(warnings[0]), HasSubstr("3 of 3 gates without a change failed on this host"));
}

TEST(SelftestWarnings, AreOfAnotherHost) {
  const Selftest s = sample();
  Host other = s.host;
  other.name = "elsewhere";
  EXPECT_THAT(selftest_warnings(s, other, s.rules), IsEmpty()) << "a container has a new name each time";
  other.cpu = "Another CPU";
  const auto warnings = selftest_warnings(s, other, s.rules);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(note_text(warnings[0]), HasSubstr("is from another host"));
  other = s.host;
  other.cpu_identity = "AuthenticAMD family 26 model 2 stepping 1";
  EXPECT_THAT(
      note_texts(selftest_warnings(s, other, s.rules)),
      ElementsAre(AllOf(HasSubstr("model 17"), HasSubstr("from another processor"), HasSubstr("model 2 "))));
}

/// A selftest's file may hold texts of any length.
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
    for (const std::string& warning : note_texts(warnings))
      EXPECT_EQ(fault_of_message(warning), "") << warning;
  }
}

/// HasEveryField shows that the text has all.
TEST(SelftestFile, IsReadAsItIsWritten) {
  const TemporaryFolder folder;
  Selftest s = sample();
  s.tool_version = "0.1.0";
  s.wall_seconds = 12.5;
  s.rules.threshold = 0.04;
  const std::string text = to_json_text(s);
  const Selftest read = read_selftest(folder.write("s.json", text));
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(read.host, s.host);
}

/// Every field, and the rates with Clopper and Pearson's intervals, which are worked out again where it is
/// read.
TEST(SelftestFile, HasEveryField) {
  using Json = nlohmann::ordered_json;
  Selftest s = sample();
  s.tool_version = "0.1.0";
  s.wall_seconds = 12.5;
  s.rules.threshold = 0.04;
  s.counts = {{.share = 0.05,
               .suites = 1,
               .failing = 1,
               .cases = 5,
               .slower = 1,
               .faster = 2,
               .same = 0,
               .inconclusive = 1,
               .incomparable = 1},
              {.share = 0, .suites = 0, .failing = 0, .cases = 0}};
  Json found = Json::parse(to_json_text(s));
  EXPECT_EQ(found.at("host").at("name"), "here");
  found.erase("host");
  const auto near = [](Json& rate, double low, double high) {
    EXPECT_NEAR(rate.at("low").get<double>(), low, 1e-6);
    EXPECT_NEAR(rate.at("high").get<double>(), high, 1e-6);
    rate.erase("low");
    rate.erase("high");
  };
  near(found["injected"][0]["failing"], 0.025, 1);
  near(found["injected"][0]["found_slower"], 0.0050508, 0.7164179);  // R: binom.test(1, 5)$conf.int
  near(found["injected"][1]["failing"], 0, 1);
  near(found["injected"][1]["found_slower"], 0, 1);
  EXPECT_EQ(found, Json::parse(R"({
    "schema": "breakeven.selftest/1", "created": "2026-11-22T08:00:00Z",
    "tool": {"name": "breakeven", "version": "0.1.0"}, "threshold": 0.04, "suite": 50, "wall_seconds": 12.5,
    "injected": [
      {"injected": 0.05, "suites": 1, "failing_suites": 1, "failing": {"rate": 1.0}, "cases": 5, "slower": 1,
       "faster": 2, "same": 0, "inconclusive": 1, "incomparable": 1, "found_slower": {"rate": 0.2}},
      {"injected": 0.0, "suites": 0, "failing_suites": 0, "failing": {"rate": null}, "cases": 0, "slower": 0,
       "faster": 0, "same": 0, "inconclusive": 0, "incomparable": 0, "found_slower": {"rate": null}}],
    "noise": [{"id": "x", "backend": "a", "launches": 12, "deviation": 0.01, "bound": 0.001,
               "smallest_change": 0.035}]})"));
}

TEST(SelftestFile, SaysWhatIsWrongWithIt) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) {
    return message_of<ResultError>([&] { read_selftest(folder.write("s.json", text)); });
  };
  EXPECT_THAT(error_of("{"), HasSubstr("s.json"));
  EXPECT_THAT(error_of("[]"), HasSubstr("make it again"));
  EXPECT_THAT(error_of(R"({"schema": "breakeven.selftest/9"})"),
              HasSubstr("'breakeven.selftest/1' is read here"));
  std::string text = to_json_text(sample());
  text.replace(text.find("\"suites\": 3"), 11, "\"suites\": \"3\"");
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("/injected/0/suites"), HasSubstr("wrong type")));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string whole = to_json_text(sample());
    return error_of(whole.replace(whole.find(from), from.size(), to));
  };
  EXPECT_THAT(error_of("{}"), HasSubstr("was not made by `breakeven selftest`: it has no \"schema\""));
  EXPECT_THAT(changed("\"suites\": 3", "\"suites\": -3"), HasSubstr("/injected/0/suites is below 0"));
  EXPECT_THAT(changed("\"failing_suites\": 0", "\"failing_suites\": 4"),
              HasSubstr("/injected/0 has more failing suites than suites"));
  EXPECT_EQ(changed("\"failing_suites\": 0", "\"failing_suites\": 3"), "was accepted");
  EXPECT_THAT(changed("\"deviation\": 0.01", "\"deviation\": -0.01"),
              HasSubstr("/noise/0 has a deviation below 0"));
  EXPECT_EQ(changed("\"deviation\": 0.01", "\"deviation\": 0"), "was accepted");
}

}  // namespace
}  // namespace breakeven
