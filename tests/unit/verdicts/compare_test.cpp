// Two results, case by case.
#include "verdicts/compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "reports/words/notes.h"
#include "unit/verdicts_sample.h"

namespace breakeven {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A result's case of these launches' samples, in seconds.
CaseResult of_launches(const std::vector<std::vector<double>>& launches, std::int64_t m = 64) {
  CaseResult c = sample::product("openblas", m, 1);
  c.seconds->launches.clear();
  for (const auto& launch : launches) {
    c.seconds->samples.insert(c.seconds->samples.end(), launch.begin(), launch.end());
    c.seconds->launches.push_back(std::ssize(launch));
  }
  c.seconds->median = median(c.seconds->samples);
  return c;
}

/// Five launches of three samples, around `seconds` by at most 0.3 %.
CaseResult around(double seconds, std::int64_t m = 64) {
  std::vector<std::vector<double>> launches;
  for (const double off : {-0.003, -0.001, 0.0, 0.001, 0.003})
    launches.push_back({seconds * (1 + off), seconds * (1 + off), seconds * (1 + off)});
  return of_launches(launches, m);
}

Result result_of(std::vector<CaseResult> cases) {
  Result r = sample::result(std::move(cases));
  r.backends = {sample::backend("openblas", true)};
  r.host.memory_bytes = std::int64_t{16} << 30U;
  r.host.settings = {{"governor", "performance"}, {"smt", "on"}};
  r.host.environment.emplace();
  return r;
}

Verdicts compare_with(const Result& base, const Result& head, std::set<Difference> allowed = {}) {
  CompareOptions options;
  options.allowed = std::move(allowed);
  return compare_results(base, head, options);
}

CaseVerdict only_verdict(const Result& base, const Result& head, std::set<Difference> allowed = {}) {
  const Verdicts verdicts = compare_with(base, head, std::move(allowed));
  EXPECT_EQ(verdicts.cases.size(), 1U);
  return verdicts.cases.at(0);
}

// ---- times

TEST(Compare, TellsSlowerFasterAndSame) {
  const auto verdict = [](double head) {
    return only_verdict(result_of({around(1)}), result_of({around(head)})).verdict;
  };
  EXPECT_EQ(verdict(1.05), Verdict::slower);
  EXPECT_EQ(verdict(0.95), Verdict::faster);
  EXPECT_EQ(verdict(1.01), Verdict::same);
}

TEST(Compare, GivesTheRatioItsIntervalAndTheMedians) {
  const CaseVerdict c = only_verdict(result_of({around(1)}), result_of({around(1.05)}));
  ASSERT_TRUE(c.ratio);
  EXPECT_NEAR(c.ratio->value, 1.05, 1e-9);
  EXPECT_GT(c.ratio->low, 1.04);
  EXPECT_LT(c.ratio->low, 1.05);
  EXPECT_LT(c.ratio->high, 1.06);
  EXPECT_NEAR(*c.base_seconds, 1, 1e-12);
  EXPECT_NEAR(*c.head_seconds, 1.05, 1e-12);
  EXPECT_TRUE(c.launches.empty());
}

/// However many samples a launch has: they do not say how launches differ.
TEST(Compare, TakesLaunchesForTheUnit) {
  std::vector<std::vector<double>> base;
  std::vector<std::vector<double>> head;
  for (const double level : {0.97, 0.99, 1.0, 1.02, 1.03}) {
    base.emplace_back(1000, level);
    head.emplace_back(1000, level * 1.04);
  }
  EXPECT_EQ(only_verdict(result_of({of_launches(base)}), result_of({of_launches(head)})).verdict,
            Verdict::inconclusive);
}

/// The geometric means of the launches' medians: 1 in the base; 1, 1, 2, 4 and 4 in the head.
TEST(Compare, GivesEachLaunchItsOwnSamples) {
  const Result base = result_of({of_launches({{1, 1}, {1.01, 0.99}, {1, 1}, {1, 1}, {1, 1}})});
  const CaseVerdict c =
      only_verdict(base, result_of({of_launches({{1, 1}, {2, 2}, {4, 4}, {1, 1}, {4, 4}})}));
  ASSERT_TRUE(c.ratio);
  EXPECT_NEAR(c.ratio->value, 2, 1e-12);
  const CaseVerdict uneven =
      only_verdict(base, result_of({of_launches({{1}, {2, 2, 2}, {4, 4}, {1, 1, 1}, {4}})}));
  EXPECT_NEAR(uneven.ratio.value().value, 2, 1e-12);
}

/// Files with three launches a side were compared once, with false alarms in up to a fifth of comparisons.
TEST(Compare, FourLaunchesOfASideAreTooFew) {
  const Result four = result_of({of_launches({{1.1}, {1.1}, {1.1}, {1.101}})});
  EXPECT_EQ(reasons_text(only_verdict(result_of({around(1)}), four).reasons),
            "too few launches: 5 of the base, 4 of the head; 5 of each are needed");
}

TEST(Compare, SaysThatDisturbedLaunchesDoNotCount) {
  Result disturbed = result_of({around(1)});
  Timing& timing = *disturbed.cases[0].seconds;
  timing.own_speed.assign(timing.samples.size(), 1.0);
  std::fill_n(timing.own_speed.begin(), timing.launches[0], 0.7);
  const Verdicts verdicts = compare_with(result_of({around(1.001)}), disturbed);
  EXPECT_EQ(
      reasons_text(verdicts.cases[0].reasons),
      "too few undisturbed launches: 5 of 5 in the base, 4 of 5 in the head; 5 of each are needed: measure "
      "more launches, or on a quieter machine");
  EXPECT_THAT(note_texts(verdicts.warnings), IsEmpty()) << "there were enough";
}

TEST(Compare, WithTooFewLaunchesSaysSoAndNothingElse) {
  const Result one = result_of({of_launches({std::vector<double>(100, 1.0)})});
  const Result other = result_of({of_launches({std::vector<double>(100, 2.0)})});
  const Verdicts verdicts = compare_with(one, other);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(verdicts.cases[0].ratio, std::nullopt);
  EXPECT_EQ(reasons_text(verdicts.cases[0].reasons),
            "too few launches: 1 of the base, 1 of the head; 5 of each are needed");
  EXPECT_EQ(verdicts.cases[0].head_seconds, 2);
  EXPECT_THAT(note_texts(verdicts.warnings), Contains(HasSubstr("Set \"launches\" to 7 or more")));
  EXPECT_EQ(exit_status(verdicts), 3);
}

TEST(Compare, TheSameFileTwiceIsTheSame) {
  for (const Result& result : {result_of({around(1)}), result_of({of_launches({{1.0, 1.1, 1.2}})}),
                               result_of({of_launches({{1.0}})})}) {
    const Verdicts verdicts = compare_with(result, result);
    EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
    EXPECT_EQ(verdicts.cases[0].ratio, Ratio{});
    EXPECT_THAT(note_texts(verdicts.warnings),
                ElementsAre(HasSubstr("the samples are identical on both sides")));
    EXPECT_EQ(exit_status(verdicts), 0);
  }
}

TEST(Compare, LeavesThrottledSamplesOutWhereEnoughAreLeft) {
  CaseResult head = around(1);
  // Another 15 samples, of five launches with three each, that throttled.
  std::vector<std::vector<double>> launches;
  for (const double off : {-0.003, -0.001, 0.0, 0.001, 0.003})
    launches.push_back({1 + off, 3, 1 + off, 3, 1 + off, 3});
  head = of_launches(launches);
  for (std::int64_t i = 1; i < 30; i += 2) head.seconds->throttled.push_back(i);
  EXPECT_EQ(only_verdict(result_of({around(1)}), result_of({head})).verdict, Verdict::same);
}

TEST(Compare, SurvivesSamplesThatAreNone) {
  CaseResult head = around(1.05);
  std::vector<std::vector<double>> launches{{1, 1, 1}};
  for (const double off : {-0.003, -0.001, 0.0, 0.001, 0.003}) launches.push_back({1.05 + off});
  head = of_launches(launches);
  head.seconds->samples[0] = std::nan("");
  head.seconds->samples[1] = -1;
  head.seconds->samples[2] = 0;  // the whole first launch
  const CaseVerdict c = only_verdict(result_of({around(1)}), result_of({head}));
  EXPECT_EQ(c.verdict, Verdict::slower);
  head.seconds->samples.assign(8, std::nan(""));
  EXPECT_EQ(only_verdict(result_of({around(1)}), result_of({head})).verdict, Verdict::inconclusive);
}

TEST(Compare, DoesNotGuessWhichSamplesAreOfWhichLaunch) {
  for (const auto& counts : {std::vector<std::int64_t>{3, 3}, std::vector<std::int64_t>{3, 3, 3, 3, 4},
                             std::vector<std::int64_t>{18, -3}}) {
    CaseResult head = around(1.05);
    head.seconds->launches = counts;
    const CaseVerdict c = only_verdict(result_of({around(1)}), result_of({head}));
    EXPECT_EQ(c.verdict, Verdict::incomparable);
    EXPECT_EQ(reasons_text(c.reasons), "the head does not say which launch each sample belongs to");
  }
}

// ---- error rates: no change, then one, in suites of 50 cases

using Generator = std::mt19937_64;
using Level = std::function<double(Generator&)>;

double normal_level(Generator& generator) {
  return std::exp(std::normal_distribution<double>(0, 0.01)(generator));
}
/// Two memory layouts, 3 % apart, each of which hardly varies.
double layout_level(Generator& generator) {
  const double layout = generator() % 2 == 0 ? -0.015 : 0.015;
  return std::exp(layout + std::normal_distribution<double>(0, 0.001)(generator));
}
/// Now and then a launch is slower.
double tailed_level(Generator& generator) {
  return std::exp(std::exponential_distribution<double>(100)(generator));
}

/// Hardly any variation.
double quiet_level(Generator& generator) {
  return std::exp(std::normal_distribution<double>(0, 0.003)(generator));
}
/// The same, with two memory layouts, 5 % apart.
double far_layout_level(Generator& generator) {
  return quiet_level(generator) * (generator() % 2 == 0 ? 1 : 1.05);
}

/// A suite whose first `quiet` cases hardly vary.
Result suite(const Level& level, int launches, double changed, Generator& generator, int quiet = 0) {
  std::vector<CaseResult> cases;
  for (int m = 1; m <= 50; ++m) {
    std::vector<std::vector<double>> of_case;
    for (int i = 0; i < launches; ++i)
      of_case.push_back({(m == 1 ? changed : 1.0) * (m <= quiet ? quiet_level : level)(generator)});
    cases.push_back(of_launches(of_case, m));
  }
  return result_of(std::move(cases));
}

/// The part of comparisons in which something else than what was changed is called slower, and the part in
/// which what was changed is.
struct Rates {
  double false_alarms = 0, found = 0;
};
Rates rates(const Level& level, int launches, double changed, int times, int quiet = 0) {
  Generator generator(1);
  Rates all;
  for (int i = 0; i < times; ++i) {
    const Verdicts verdicts = compare_with(suite(level, launches, 1, generator, quiet),
                                           suite(level, launches, changed, generator, quiet));
    bool alarm = false;
    for (const CaseVerdict& c : verdicts.cases) {
      const bool slower = c.verdict == Verdict::slower;
      const bool is_changed = c.parameters.integer("m") == 1;
      alarm = alarm || (slower && !is_changed);
      all.found += slower && is_changed ? 1.0 / times : 0;
    }
    all.false_alarms += alarm ? 1.0 / times : 0;
  }
  return all;
}

TEST(SlowCompareErrorRates, HoldOverASuite) {
  for (const Level& level : {Level(normal_level), Level(layout_level), Level(tailed_level)}) {
    for (const int launches : {5, 7, 10})
      EXPECT_LE(rates(level, launches, 1, 200).false_alarms, 0.02) << launches;
  }
}

/// The quiet majority sets the least standard error, which is far too small for the others.
TEST(SlowCompareErrorRates, HoldWhereSomeCasesHaveTwoLayouts) {
  for (const int quiet : {13, 20, 35, 40}) {
    for (const int launches : {5, 6, 7})
      EXPECT_LE(rates(far_layout_level, launches, 1, 400, quiet).false_alarms, 0.025)
          << quiet << " " << launches;
  }
}

TEST(SlowCompareErrorRates, LeaveLaunchesEnoughPowerBesideLayouts) {
  EXPECT_GE(rates(far_layout_level, 6, 1.10, 100, 35).found, 0.95);
  EXPECT_GE(rates(far_layout_level, 5, 1.20, 100, 35).found, 0.95);
}

/// A whole launch may be slower, with all of its cases.
TEST(SlowCompareErrorRates, MeanChangeCoversWhatCasesOfALaunchShare) {
  Generator generator(3);
  const auto shifted = [&] {
    std::array<double, 5> shifts{};
    for (double& shift : shifts) shift = std::exp(std::normal_distribution<double>(0, 0.02)(generator));
    std::vector<CaseResult> cases;
    for (int m = 1; m <= 50; ++m) {
      std::vector<std::vector<double>> of_case;
      for (const double shift : shifts) of_case.push_back({shift * normal_level(generator)});
      cases.push_back(of_launches(of_case, m));
    }
    return result_of(std::move(cases));
  };
  constexpr int times = 300;
  int covered = 0;
  for (int i = 0; i < times; ++i) {
    const Ratio change = compare_with(shifted(), shifted()).mean_change.value();
    covered += change.low <= 1 && 1 <= change.high;
  }
  EXPECT_GE(covered, times * 92 / 100);
}

TEST(Compare, SaysHowManyLaunchesExcludeLayouts) {
  // The launches of 15 cases differ by as much as the change of another, in which each side has one speed.
  const auto suite_of = [](double changed) {
    std::vector<CaseResult> cases{around(changed, 1)};
    for (std::int64_t m = 2; m <= 16; ++m)
      cases.push_back(of_launches({{1.0}, {1.05}, {1.001}, {1.05}, {0.999 + 0.0001 * changed}}, m));
    for (std::int64_t m = 17; m <= 50; ++m) cases.push_back(around(1 + 0.0001 * changed, m));
    return result_of(std::move(cases));
  };
  const Verdicts verdicts = compare_with(suite_of(1), suite_of(1.05));
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(
      reasons_text(verdicts.cases[0].reasons),
      "up to 16 cases vary by half of this change or more between launches, so it may be chance: measure 6 "
      "launches of each side");
}

TEST(SlowCompareErrorRates, LeaveLaunchesEnoughPower) {
  EXPECT_GE(rates(normal_level, 10, 1.05, 100).found, 0.95);
  EXPECT_GE(rates(normal_level, 5, 1.10, 100).found, 0.95);
}

// ---- what must not differ

/// Other `seconds` are other samples, so that two results are not one measurement.
Result gpu_result(double seconds) {
  Result r = result_of({around(seconds)});
  r.backends[0].device = "gpu";
  r.backends[0].device_id = "GPU-1";
  r.cases[0].device = "gpu";
  Gpu& gpu = r.host.gpus.emplace_back();
  gpu.id = "GPU-1";
  gpu.driver = "580.1";
  return r;
}

Result cpu_result(double seconds) {
  Result r = result_of({around(seconds)});
  r.backends[0].libraries = {{"OpenBLAS", "0.3.21"}};
  r.cases[0].algorithm = "haswell";
  r.cases[0].conditions.cpu_mhz = 3000;
  r.config = R"({"measure": {"cache": "warm"}})";
  return r;
}

Result untuned_result(double seconds) {
  Result r = cpu_result(seconds);
  r.cases[0].parameters.set("tuned", false);
  return r;
}

/// A difference of each kind; differences_test.cpp has all that there are of each.
struct Changed {
  std::string name;
  Result (*make)(double seconds);
  std::function<void(Result&)> change;
  Difference what;
  std::string said;
};

class Differing : public testing::TestWithParam<Changed> {};

TEST_P(Differing, IsIncomparableUnlessAllowed) {
  const Changed& changed = GetParam();
  const Result base = changed.make(1);
  Result head = changed.make(1.0001);
  changed.change(head);
  const Verdicts verdicts = compare_with(base, head);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::incomparable);
  EXPECT_EQ(reasons_text(verdicts.cases[0].reasons), changed.said);
  EXPECT_EQ(verdicts.cases[0].ratio, std::nullopt);
  EXPECT_THAT(note_texts(verdicts.warnings),
              ElementsAre(HasSubstr(fmt::format("--allow {}", name(changed.what)))));
  EXPECT_EQ(exit_status(verdicts), 4);
  EXPECT_EQ(compare_with(base, head, {changed.what}).cases[0].verdict, Verdict::same);
  for (int other = 0; other < 7; ++other) {
    const auto allowed = static_cast<Difference>(other);
    if (allowed == changed.what) continue;
    EXPECT_EQ(exit_status(compare_with(base, head, {allowed})), 4) << name(allowed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Compare, Differing,
    testing::Values(
        Changed{"Machine", cpu_result, [](Result& r) { r.host.cores = 1; }, Difference::machine,
                "different number of cores: 2 → 1"},
        Changed{"Threads", cpu_result, [](Result& r) { r.host.threads = 1; }, Difference::threads,
                "different number of threads: 2 → 1"},
        Changed{"Governor", cpu_result, [](Result& r) { r.host.settings["governor"] = "powersave"; },
                Difference::clocks, "different governor: performance → powersave"},
        Changed{"Cache", cpu_result, [](Result& r) { r.config = R"({"measure": {"cache": "cold"}})"; },
                Difference::settings, "different state of the caches: warm → cold"},
        Changed{"Library", cpu_result, [](Result& r) { r.backends[0].libraries[0].first = "BLIS"; },
                Difference::library, "different BLIS: none → 0.3.21; different OpenBLAS: 0.3.21 → none"},
        Changed{"Algorithm", untuned_result, [](Result& r) { r.cases[0].algorithm = "zen"; },
                Difference::algorithm, "different algorithm: haswell → zen"},
        Changed{"Driver", gpu_result, [](Result& r) { r.host.gpus[0].driver = "590.1"; }, Difference::driver,
                "different GPU driver: 580.1 → 590.1"}),
    [](const auto& test) { return test.param.name; });

TEST(CompareDifferences, SmallOnesAndUnknownOnesAreNone) {
  const Result base = cpu_result(1);
  Result head = cpu_result(1.0001);
  head.host.memory_bytes += 4096;
  head.cases[0].conditions.cpu_mhz = 3050;
  head.host.settings["governor"] = "unknown: cannot be read";
  head.host.threads = 0;
  head.host.virtualization = "vm";  // unknown in the base
  head.cases[0].algorithm = "";
  EXPECT_EQ(only_verdict(base, head).verdict, Verdict::same);
}

TEST(CompareDifferences, OfWhatARaceMeasuredAreNone) {
  Result base = cpu_result(1);
  base.cases[0].algorithm = "haswell, tuned: best of 3, the first took 1.07x";
  Result head = cpu_result(1.0001);
  head.cases[0].algorithm = "haswell, tuned: best of 4, the first took 1.11x";
  const Verdicts verdicts = compare_with(base, head);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
  EXPECT_THAT(note_texts(verdicts.warnings), IsEmpty());
}

TEST(CompareDifferences, OfCpusDoNotConcernAGpu) {
  const Result base = gpu_result(1);
  Result head = gpu_result(1.0001);
  head.host.threads = 1;
  head.host.settings["governor"] = "powersave";
  EXPECT_EQ(only_verdict(base, head).verdict, Verdict::same);
}

TEST(CompareDifferences, OfTheSystemAreSaidAndNoMore) {
  Result base = cpu_result(1);
  base.host.kernel = "6.1";
  base.tool_build = "Release";
  Result head = cpu_result(1.0001);
  head.host.kernel = "6.2";
  head.host.settings["smt"] = "off";
  head.tool_build = "Debug";
  const Verdicts verdicts = compare_with(base, head);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
  EXPECT_THAT(note_texts(verdicts.warnings),
              ElementsAre("different kernel: 6.1 → 6.2", "different setting smt: on → off",
                          "different build of breakeven: Release → Debug"));
}

/// Of two that are nearly as fast, a race picks either.
TEST(CompareDifferences, AnotherAlgorithmIsSaidAndComparedWhereARacePicksIt) {
  for (const bool tuned : {true, false}) {
    const auto make = tuned ? cpu_result : untuned_result;
    const std::set<Difference> allowed = tuned ? std::set<Difference>{} : std::set{Difference::algorithm};
    Result head = make(1.0001);
    head.cases[0].algorithm = "zen";
    const Verdicts verdicts = compare_with(make(1), head, allowed);
    EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
    EXPECT_EQ(verdicts.cases[0].base_algorithm, "haswell");
    EXPECT_EQ(verdicts.cases[0].head_algorithm, "zen");
    EXPECT_THAT(note_texts(verdicts.warnings),
                ElementsAre("1 case: another algorithm was chosen in the head"));
  }
}

/// Files of older versions have the threads in the algorithm's text.
TEST(CompareDifferences, AnotherNumberOfThreadsIsAnotherAlgorithm) {
  Result fewer = cpu_result(1.0001);
  fewer.cases[0].threads = ChosenThreads{.chosen = 15, .of = 16};
  Result older = cpu_result(1);
  EXPECT_THAT(note_texts(compare_with(older, fewer).warnings),
              ElementsAre("1 case: another algorithm was chosen in the head"));
  older.cases[0].algorithm = "haswell; 15 of 16 threads";
  const Verdicts verdicts = compare_with(older, fewer);
  EXPECT_THAT(note_texts(verdicts.warnings), IsEmpty());
  EXPECT_EQ(verdicts.cases[0].head_algorithm, "haswell; 15 of 16 threads");
}

/// A container has a new name each time it starts.
TEST(CompareDifferences, AnotherNameOfTheHostIsSaidAndNoMore) {
  Result head = cpu_result(1.0001);
  head.host.name = "f00dcafe";
  const Verdicts verdicts = compare_with(cpu_result(1), head);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
  EXPECT_THAT(note_texts(verdicts.warnings), ElementsAre("the host was called host, then f00dcafe"));
  head.host.name = "";
  EXPECT_THAT(note_texts(compare_with(cpu_result(1), head).warnings), IsEmpty()) << "not known";
}

TEST(CompareDifferences, WhatIsAllowedIsStillSaid) {
  Result head = cpu_result(1.0001);
  head.host.threads = 1;
  head.backends[0].libraries[0].second = "0.3.26";
  const Verdicts verdicts = compare_with(cpu_result(1), head, {Difference::threads, Difference::library});
  EXPECT_THAT(note_texts(verdicts.warnings), ElementsAre("allowed: different number of threads: 2 → 1",
                                                         "allowed: different OpenBLAS: 0.3.21 → 0.3.26"));
}

TEST(CompareDifferences, AreInTheVerdictByTheirNames) {
  Result head = cpu_result(1);
  head.host.threads = 1;
  head.backends[0].libraries[0].second = "0.3.26";
  EXPECT_THAT(only_verdict(cpu_result(1), head).differences, ElementsAre("library", "threads"));
  EXPECT_THAT(only_verdict(cpu_result(1), cpu_result(1)).differences, IsEmpty());
}

TEST(CompareDifferences, AnotherFileOfALibraryIsSaidOnOneMachineOnly) {
  Result base = cpu_result(1), head = cpu_result(1.0001);
  base.backends[0].library_files = {{"OpenBLAS", "/usr/lib/a.so"}};
  EXPECT_THAT(note_texts(compare_with(base, head).warnings), IsEmpty()) << "not known in the head";
  head.backends[0].library_files = {{"OpenBLAS", "/opt/b.so"}};
  const Verdicts verdicts = compare_with(base, head);
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::same);
  EXPECT_THAT(note_texts(verdicts.warnings),
              ElementsAre("different file of OpenBLAS: /usr/lib/a.so → /opt/b.so"));
  head.host.name = "another";
  EXPECT_THAT(note_texts(compare_with(base, head).warnings),
              ElementsAre("the host was called host, then another"));
}

TEST(CompareDifferences, AreReadByTheirNames) {
  for (const std::string& text : all_names<Difference>())
    EXPECT_EQ(name(*parse_name<Difference>(text)), text);
  EXPECT_EQ(all_names<Difference>().size(), 7U);
  EXPECT_EQ(parse_name<Difference>("Machine"), std::nullopt);
}

// ---- cases that are not on both sides, or not ok

TEST(Compare, ListsWhatIsMissingAndWhatIsNew) {
  Result base = result_of({around(1, 1), around(1, 2)});
  Result head = result_of({around(1, 3), around(1.0001, 2)});
  const Verdicts verdicts = compare_with(base, head);
  ASSERT_EQ(verdicts.cases.size(), 3U);
  EXPECT_EQ(verdicts.cases[0].presence, Presence::only_base);
  EXPECT_EQ(reasons_text(verdicts.cases[0].reasons), "the head was not measured for this case");
  EXPECT_EQ(verdicts.cases[1].verdict, Verdict::same);
  EXPECT_EQ(verdicts.cases[2].presence, Presence::only_head);
  EXPECT_EQ(exit_status(verdicts), 4);
  base.cases.erase(base.cases.begin());
  EXPECT_EQ(exit_status(compare_with(base, head)), 0);
}

TEST(Compare, WhatOnlyTheBaseListsAndDoesNotSupportIsNotMissing) {
  const Result base =
      result_of({sample::refused(around(1, 1), Status::unsupported, "no kernel"), around(1, 2)});
  const Verdicts verdicts = compare_with(base, result_of({around(1.0001, 2)}));
  ASSERT_EQ(verdicts.cases.size(), 2U);
  EXPECT_EQ(finding_kind(verdicts.cases[0]), FindingKind::unsupported);
  EXPECT_EQ(exit_status(verdicts), 0);
}

TEST(Compare, SaysWhyABackendIsMissing) {
  const Result base = result_of({around(1)});
  Result head = result_of({});
  head.backends = {sample::backend("openblas", false, "no library")};
  EXPECT_EQ(reasons_text(only_verdict(base, head).reasons),
            "openblas is not available in the head: no library");
  head.backends.clear();
  EXPECT_EQ(reasons_text(only_verdict(base, head).reasons), "there is no openblas in the head");
}

TEST(Compare, AHeadThatIsWrongIsOneWhateverTheBaseWas) {
  for (const Status was : {Status::ok, Status::wrong, Status::failed, Status::unsupported}) {
    Result base = result_of({around(1)});
    if (was != Status::ok) base.cases[0] = sample::refused(base.cases[0], was, "was");
    const Result head = result_of({sample::refused(around(1), Status::wrong, "3 is not 4")});
    const Verdicts verdicts = compare_with(base, head);
    EXPECT_EQ(reasons_text(verdicts.cases[0].reasons), "3 is not 4");
    EXPECT_EQ(exit_status(verdicts), 1) << name(was);
  }
}

TEST(Compare, FailedCasesAreIncomparableAndUnsupportedOnesDoNotCount) {
  const Result good = result_of({around(1)});
  const auto with = [](Status status) { return result_of({sample::refused(around(1), status, "why")}); };
  EXPECT_EQ(exit_status(compare_with(good, with(Status::failed))), 4);
  EXPECT_EQ(exit_status(compare_with(with(Status::failed), good)), 4);
  EXPECT_EQ(exit_status(compare_with(good, with(Status::unsupported))), 4);
  EXPECT_EQ(exit_status(compare_with(with(Status::unsupported), with(Status::unsupported))), 4);
  const CaseVerdict now_there = only_verdict(with(Status::unsupported), good);
  EXPECT_EQ(now_there.presence, Presence::only_head) << "what the base could not do is new";
  EXPECT_THAT(note_texts(now_there.notes), ElementsAre("not supported in the base: why"));
}

TEST(Compare, KeepsTheStatusAndTheTimesOfBothSides) {
  Result base = result_of({around(2)});
  Result head = result_of({around(3)});
  head.cases[0].status = Status::wrong;
  head.cases[0].reason = "3 is not 4";
  base.cases[0].algorithm = "one";
  head.cases[0].algorithm = "two";
  const CaseVerdict wrong = only_verdict(base, head);
  EXPECT_EQ(wrong.base_status, Status::ok);
  EXPECT_EQ(wrong.head_status, Status::wrong);
  EXPECT_EQ(wrong.base_seconds, 2);
  EXPECT_EQ(wrong.head_seconds, std::nullopt) << "what is wrong has no speed";
  EXPECT_EQ(wrong.base_algorithm, "one");
  EXPECT_EQ(wrong.head_algorithm, "two");
  EXPECT_EQ(wrong.verdict, Verdict::incomparable);
  const CaseVerdict was_wrong = only_verdict(head, base);
  EXPECT_EQ(was_wrong.base_seconds, std::nullopt);
  EXPECT_EQ(was_wrong.head_seconds, 2);
  EXPECT_EQ(reasons_text(was_wrong.reasons), "3 is not 4");

  base.cases[0].id = "only here";
  const Verdicts both = compare_with(base, head);
  ASSERT_EQ(both.cases.size(), 2U);
  EXPECT_EQ(both.cases[0].base_algorithm, "one");
  EXPECT_EQ(both.cases[0].base_seconds, 2);
  EXPECT_EQ(both.cases[0].base_status, Status::ok);
  EXPECT_EQ(both.cases[1].head_algorithm, "two");
  EXPECT_EQ(both.cases[1].head_seconds, 3);
  EXPECT_EQ(both.cases[1].head_status, Status::wrong);
  EXPECT_EQ(reasons_text(both.cases[1].reasons), "3 is not 4");
}

TEST(Compare, OneTimeAloneIsNotCompared) {
  CaseResult untimed = around(1);
  untimed.seconds.reset();
  EXPECT_EQ(reasons_text(only_verdict(result_of({around(1)}), result_of({untimed})).reasons),
            "one of the two has no time");
  EXPECT_EQ(reasons_text(only_verdict(result_of({untimed}), result_of({around(1)})).reasons),
            "one of the two has no time");
  CaseResult fits = untimed;
  fits.fit = Fit{.largest = 1, .refused = 2, .limit = ""};
  EXPECT_EQ(reasons_text(only_verdict(result_of({untimed}), result_of({fits})).reasons),
            "one of the two has no time");
}

TEST(Compare, SaysThatARunWasNotFinished) {
  Result base = result_of({around(1)});
  base.complete = false;
  EXPECT_THAT(note_texts(compare_with(base, result_of({around(1.001)})).warnings),
              ElementsAre("the base is incomplete: its run was interrupted"));
}

TEST(Compare, CasesOfOneNameThatAreOtherProblemsAreIncomparable) {
  CaseResult other = around(1);
  other.parameters.set("k", std::int64_t{65});
  EXPECT_EQ(reasons_text(only_verdict(result_of({around(1)}), result_of({other})).reasons),
            "the two files have different problems under this name");
}

TEST(Compare, OfWhatFitsItComparesTheSize) {
  CaseResult c = around(1);
  c.seconds.reset();
  const auto fits = [&](std::int64_t largest) {
    c.fit = Fit{.largest = largest, .refused = largest + 1, .limit = ""};
    return result_of({c});
  };
  EXPECT_EQ(only_verdict(fits(1000), fits(1000)).verdict, Verdict::same);
  EXPECT_EQ(only_verdict(fits(1000), fits(985)).verdict, Verdict::same) << "the search is no more precise";
  EXPECT_EQ(only_verdict(fits(1000), fits(980)).verdict, Verdict::same);
  EXPECT_EQ(only_verdict(fits(1000), fits(979)).verdict, Verdict::incomparable);
  EXPECT_THAT(note_texts(only_verdict(fits(1000), fits(1000)).notes), IsEmpty());
  EXPECT_EQ(only_verdict(fits(1000), fits(900)).verdict, Verdict::incomparable);
  EXPECT_EQ(reasons_text(only_verdict(fits(1000), fits(900)).reasons), "largest size that fits: 1000 → 900");
  EXPECT_THAT(note_texts(only_verdict(fits(1000), fits(2000)).notes),
              ElementsAre("largest size that fits: 1000 → 2000"));
}

TEST(Compare, OfWhatFitsOnAnotherMachineItComparesNothing) {
  CaseResult c = around(1);
  c.seconds.reset();
  c.fit = Fit{.largest = 1000, .refused = 1001, .limit = ""};
  Result here = result_of({c});
  here.host.cpu = "a CPU";
  Result elsewhere = here;
  elsewhere.host.cpu = "another CPU";
  const CaseVerdict verdict = only_verdict(here, elsewhere);
  EXPECT_EQ(verdict.verdict, Verdict::incomparable);
  EXPECT_THAT(verdict.differences, ElementsAre("machine"));
}

TEST(Compare, SaysHowTheErrorRateIsHeld) {
  const Verdicts verdicts = compare_with(result_of({around(1)}), result_of({around(1.001)}));
  EXPECT_EQ(verdicts.kind, "compare");
  EXPECT_THAT(note_text(verdicts.method.at(0)), HasSubstr("controls errors over all 1 compared case:"));
  EXPECT_THAT(note_text(verdicts.method.at(0)), HasSubstr("at most 1 % of comparisons call any case slower"));
  const auto two =
      compare_with(result_of({around(1, 1), around(1, 2)}), result_of({around(1.001, 1), around(1.001, 2)}));
  EXPECT_THAT(note_text(two.method.at(0)), HasSubstr("over all 2 compared cases: where"));
  EXPECT_EQ(compare_with(result_of({}), result_of({})).method, std::vector<Note>());
  EXPECT_EQ(verdicts.host.name, "host");
  EXPECT_EQ(verdicts.base.backends.at(0).name, "openblas");
  EXPECT_EQ(verdicts.head.backends.at(0).name, "openblas");
  EXPECT_EQ(verdicts.threshold, CompareOptions().threshold);
  EXPECT_FALSE(verdicts.tool_version.empty());
}

TEST(Compare, SaysWhereACaseIsNotSlowerThoughItMayBeFaster) {
  const auto noisy = [](double seconds) {
    std::vector<std::vector<double>> launches;
    for (const double off : {-0.04, -0.02, 0.0, 0.02, 0.04}) launches.push_back({seconds * (1 + off)});
    return result_of({of_launches(launches)});
  };
  const Verdicts verdicts = compare_with(noisy(1), noisy(0.96));
  EXPECT_EQ(verdicts.cases[0].verdict, Verdict::inconclusive);
  EXPECT_TRUE(verdicts.cases[0].not_slower);
  EXPECT_THAT(reasons_text(verdicts.cases[0].reasons), HasSubstr("not slower, perhaps faster"));
  EXPECT_EQ(exit_status(verdicts), 0);
  EXPECT_EQ(exit_status(compare_with(noisy(0.96), noisy(1))), 3);
}

/// Google Benchmark's files name the program; renamed, it is still the same benchmarks.
TEST(Compare, ProgramsOfGoogleBenchmarkAreComparedUnderTheHeadsName) {
  const auto program = [](const std::string& name, double seconds) {
    CaseResult c = around(seconds);
    c.op = "benchmark";
    c.backend = name;
    Result r = result_of({c});
    r.backends[0].name = name;
    return r;
  };
  const Verdicts renamed = compare_with(program("old", 1), program("new", 1.05));
  ASSERT_EQ(renamed.cases.size(), 1U);
  EXPECT_EQ(renamed.cases[0].verdict, Verdict::slower);
  EXPECT_EQ(renamed.cases[0].backend, "new");
  EXPECT_EQ(renamed.base.backends.at(0).name, "old");
  EXPECT_THAT(note_texts(renamed.warnings), ElementsAre("the base's program is called old, the head's new"));
  EXPECT_THAT(note_texts(compare_with(program("new", 1), program("new", 1.05)).warnings), IsEmpty());
  Result two = program("old", 1);
  two.backends.push_back(sample::backend("second", true));
  EXPECT_EQ(compare_with(two, program("new", 1.05)).cases.size(), 2U)
      << "of two programs it is not known which";
  EXPECT_EQ(compare_with(program("old", 1),
                         [&] {
                           Result r = program("new", 1.05);
                           r.cases[0].op = "matmul";
                           return r;
                         }())
                .cases.size(),
            2U);
}

/// One case whose launches happen to agree does not become sure by that: the lower quartile of the standard
/// errors on its backend is the least of any.
TEST(Compare, LuckyAgreementOfLaunchesIsNotBelieved) {
  const auto suite_of = [](double changed) {
    std::vector<CaseResult> cases;
    for (std::int64_t m = 1; m <= 8; ++m) {
      std::vector<std::vector<double>> launches;
      for (const double off : {-0.02, -0.01, 0.0, 0.01, 0.02})
        launches.push_back({m == 1 ? changed : (1 + off) * (1 + 0.0001 * changed)});
      cases.push_back(of_launches(launches, m));
    }
    return result_of(std::move(cases));
  };
  const Verdicts verdicts = compare_with(suite_of(1), suite_of(1.035));
  EXPECT_EQ(verdicts.cases.at(0).verdict, Verdict::inconclusive);
  EXPECT_LT(verdicts.cases[0].ratio.value().low, 1.03);
  EXPECT_GT(verdicts.cases[0].ratio.value().high, 1.04);
}

TEST(Compare, NothingWithNothingIsFine) {
  EXPECT_THAT(compare_with(Result{}, Result{}).cases, IsEmpty());
}

}  // namespace
}  // namespace breakeven
