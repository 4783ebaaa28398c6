// From which value on one machine is faster than another, from results of each.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports_sample.h"
#include "verdicts/break_even_from_results.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Ratios of these values, whose intervals are `half_width` to either side.
std::vector<RatioAt> ratios(const std::vector<std::pair<std::int64_t, double>>& values,
                            double half_width = 0.01) {
  std::vector<RatioAt> all;
  for (const auto& [value, ratio] : values)
    all.push_back(
        {.value = value,
         .ratio = {.value = ratio,
                   .interval = Interval{.low = ratio / (1 + half_width), .high = ratio * (1 + half_width)}}});
  return all;
}

BreakEven found(const std::vector<std::pair<std::int64_t, double>>& values, double half_width = 0.01) {
  return break_even_of(ratios(values, half_width));
}

TEST(BreakEvenOfResults, InterpolatesBetweenTheValuesMeasured) {
  // 2 at 4, 1/2 at 16: as logarithms a straight line, whose zero is at 8.
  const BreakEven one = found({{1, 4}, {4, 2}, {16, 0.5}, {64, 0.25}});
  EXPECT_EQ(one.answer, BreakEven::Answer::from_value);
  ASSERT_THAT(one.changes, SizeIs(1));
  const LeadChange& change = one.changes[0];
  EXPECT_TRUE(change.interpolated);
  EXPECT_NEAR(change.crossing, 8, 1e-9);
  EXPECT_EQ(change.from, 8) << "the crossing itself";
  EXPECT_EQ(change.last_below, 4);
  EXPECT_EQ(change.first_above, 16);
  EXPECT_NEAR(change.interval.low, 8 * std::pow(1.01, -1), 1e-9);
  EXPECT_NEAR(change.interval.high, 8 * 1.01, 1e-9);
  EXPECT_EQ(change.earliest, 8);
  EXPECT_EQ(change.latest, 9);
}

TEST(BreakEvenOfResults, ValuesInDoubtAreInsideTheInterval) {
  const BreakEven one = found({{1, 4}, {4, 1.05}, {16, 0.98}, {64, 0.25}}, 0.1);
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_EQ(one.changes[0].last_below, 1);
  EXPECT_EQ(one.changes[0].first_above, 64);
  EXPECT_LT(one.changes[0].interval.low, 4);
  EXPECT_GT(one.changes[0].interval.high, 16);
  EXPECT_GT(one.changes[0].crossing, 4);
  EXPECT_LT(one.changes[0].crossing, 16);
}

TEST(BreakEvenOfResults, MayChangeMoreThanOnceOrNever) {
  const BreakEven twice = found({{1, 0.5}, {4, 2}, {16, 2}, {64, 0.5}});
  EXPECT_EQ(twice.answer, BreakEven::Answer::from_value);
  EXPECT_THAT(twice.changes, SizeIs(2));
  EXPECT_NEAR(twice.changes[0].crossing, 2, 1e-9);
  EXPECT_EQ(twice.changes[0].above, Lead::baseline);
  EXPECT_NEAR(twice.changes[1].crossing, 32, 1e-9);
  EXPECT_EQ(found({{1, 0.5}, {4, 0.5}, {16, 0.6}}).answer, BreakEven::Answer::always);
  EXPECT_EQ(found({{1, 2}, {4, 3}, {16, 2}}).answer, BreakEven::Answer::never);
  EXPECT_EQ(found({{1, 1}, {4, 1.005}, {16, 1}}).answer, BreakEven::Answer::neither);
  EXPECT_THAT(found({{1, 0.5}, {4, 1}, {16, 0.6}}).changes, IsEmpty()) << "one value in doubt is noise";
  EXPECT_THAT(found({{1, 0.5}, {4, 1}, {8, 1}, {16, 0.6}}).changes, SizeIs(2)) << "two are not";
  EXPECT_EQ(break_even_of({}).answer, BreakEven::Answer::unclear);
}

TEST(BreakEvenOfResults, WhereNothingCrossesItLiesBetweenTwoValues) {
  const BreakEven one = found({{1, 1}, {4, 1}, {16, 0.5}});
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_TRUE(one.changes[0].by_bisection);
  EXPECT_FALSE(one.changes[0].interpolated);
  EXPECT_EQ(one.changes[0].from, 16);
  EXPECT_EQ(one.changes[0].earliest, 5);
  EXPECT_EQ(one.changes[0].latest, 16);
}

TEST(BreakEvenOfResults, WithoutAnIntervalOnlyPlainRatiosCount) {
  std::vector<RatioAt> all = ratios({{1, 1.1}, {4, 1.1}, {16, 0.5}});
  for (RatioAt& one : all) one.ratio.interval.reset();
  const BreakEven one = break_even_of(all);
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_EQ(one.changes[0].below, Lead::neither);
}

CaseResult timed(const std::string& backend, std::int64_t m, double seconds) {
  return sample::product(backend, m, seconds);
}

Result machine(const std::string& name, std::vector<CaseResult> cases, const std::string& created) {
  Result run = sample::result(std::move(cases));
  run.host.name = name;
  run.host.cpu = "CPU " + name;
  run.created = created;
  for (const char* backend : {"onednn", "openblas"}) run.backends.push_back(sample::backend(backend, true));
  return run;
}

/// a takes m microseconds; b 100 and a tenth of that, so that it is ahead from 111 on.
std::vector<Result> two_machines() {
  std::vector<CaseResult> a;
  std::vector<CaseResult> b;
  for (const std::int64_t m : {16, 64, 256, 1024}) {
    const auto size = static_cast<double>(m);
    a.push_back(timed("openblas", m, 1e-6 * size));
    a.push_back(timed("onednn", m, 2e-6 * size));
    b.push_back(timed("onednn", m, 1e-4 + 1e-7 * size));
  }
  return {machine("a", a, "2026-11-01T12:00:00Z"), machine("b", b, "2026-11-03T12:00:00Z")};
}

Threshold between(const std::vector<Result>& results, const std::string& parameter = "m") {
  return threshold_from_results(std::span<const Result, 2>(results), parameter);
}

TEST(ThresholdFromResults, TakesTheFastestBackendOfEachSide) {
  const Threshold t = between(two_machines());
  EXPECT_TRUE(t.from_results);
  ASSERT_THAT(t.answers, SizeIs(1));
  const ThresholdAnswer& answer = t.answers[0];
  EXPECT_EQ(answer.title, "matmul, m = n = k, f32");
  EXPECT_EQ(answer.points[0].sides[0].backend, "openblas");
  EXPECT_EQ(answer.points[0].sides[1].backend, "onednn");
  ASSERT_TRUE(answer.points[0].ratio()->interval) << "of the medians";
  EXPECT_EQ(answer.points.size(), 4U);
  ASSERT_THAT(answer.found.changes, SizeIs(1));
  EXPECT_EQ(answer.found.changes[0].last_below, 64);
  EXPECT_EQ(answer.found.changes[0].first_above, 256);
  EXPECT_NEAR(answer.found.changes[0].crossing, 111, 12);
  EXPECT_THAT(in_words(answer, t), AllOf(HasSubstr("CPU b, 2 cores is faster than CPU a, 2 cores from m = 1"),
                                         HasSubstr("interpolated between 64 and 256"),
                                         HasSubstr("up to 1,024, the largest measured")));
  ASSERT_THAT(t.warnings, SizeIs(1));
  EXPECT_THAT(t.warnings[0], AllOf(HasSubstr("two machines, on different days (2026-11-01 and 2026-11-03)"),
                                   HasSubstr("not in turn"), HasSubstr("medians alone")));
  EXPECT_EQ(exit_status(t), 0) << "however wide its interval is";
}

TEST(ThresholdFromResults, IsReadAsItWasWritten) {
  const Threshold t = between(two_machines());
  const std::string text = to_json_text(t);
  const Threshold read = threshold_from(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(in_words(read.answers[0], read), in_words(t.answers[0], t));
  EXPECT_EQ(read.answers[0].points[0].ratio()->interval->low, t.answers[0].points[0].ratio()->interval->low);
  EXPECT_EQ(to_json_text(threshold_from(nlohmann::ordered_json::parse(text))).find("from_results") !=
                std::string::npos,
            true);
}

TEST(ThresholdFromResults, AnyOfTheParametersThatMoveTogetherWillDo) {
  const Threshold t = between(two_machines(), "k");
  ASSERT_THAT(t.answers, SizeIs(1));
  EXPECT_EQ(t.answers[0].found.changes.at(0).last_below, 64);
}

TEST(ThresholdFromResults, WhatIsWrongHasNoSpeedAndIsSaid) {
  std::vector<Result> results = two_machines();
  for (CaseResult& c : results[0].cases) {
    if (c.backend == "openblas") c = sample::refused(c, Status::wrong, "element 0");
  }
  results[1].cases.push_back(timed("onednn", 4096, 1));
  const Threshold t = between(results);
  EXPECT_EQ(t.answers[0].points[0].sides[0].backend, "onednn");
  EXPECT_THAT(t.answers[0].notes, ElementsAre(HasSubstr("4 results were left out"),
                                              HasSubstr("m 4096 measured on CPU b, 2 cores alone")));
  EXPECT_EQ(exit_status(t), 1);
}

std::pair<int, std::string> refusal(const std::vector<Result>& results, const std::string& parameter = "m") {
  try {
    between(results, parameter);
  } catch (const NotComparable& e) {
    return {e.status(), e.what()};
  }
  return {0, ""};
}

TEST(ThresholdFromResults, IsRefusedWhereItMeansNothing) {
  std::vector<Result> same = two_machines();
  same[1] = same[0];
  EXPECT_THAT(refusal(same), testing::Pair(2, HasSubstr("that is one side")));

  EXPECT_THAT(refusal(two_machines(), "bath"),
              testing::Pair(2, AllOf(HasSubstr("no case of CPU a, 2 cores has it"),
                                     HasSubstr("did you mean 'batch'?"))));

  std::vector<Result> dtypes = two_machines();
  for (CaseResult& c : dtypes[1].cases) c.dtype = "bf16";
  EXPECT_THAT(refusal(dtypes),
              testing::Pair(4, HasSubstr("CPU a, 2 cores has results in f32 and CPU b, 2 cores in bf16")));

  std::vector<Result> few = two_machines();
  few[1].cases.resize(2);
  EXPECT_THAT(refusal(few),
              testing::Pair(4, HasSubstr("no problem has a time on both at 3 or more values of m")));
  EXPECT_THAT(refusal(two_machines(), "batch"), testing::Pair(4, HasSubstr("at 3 or more values of batch")));

  std::vector<Result> bad = two_machines();
  for (CaseResult& c : bad[1].cases) c = sample::refused(c, Status::failed, "");
  EXPECT_THAT(refusal(bad), testing::Pair(4, HasSubstr("none of them is ok")));

  std::vector<Result> caches = two_machines();
  caches[1].config = R"({"measure": {"cache": "cold"}})";
  EXPECT_THAT(refusal(caches),
              testing::Pair(4, HasSubstr("with warm caches and CPU b, 2 cores with cold ones")));
}

TEST(BreakEvensBetween, AreOfEachTwoDevicesWithProcessorsAsTheBaseline) {
  std::vector<Result> results = two_machines();
  EXPECT_THAT(break_evens_between(std::span(results).first(1)), IsEmpty());
  std::vector<CaseResult> on_gpu;
  for (CaseResult c : results[1].cases) {
    c.backend = "cuda";
    c.device = "gpu";
    on_gpu.push_back(c);
  }
  Result gpu = machine("g", on_gpu, "2026-11-04T12:00:00Z");
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device = "gpu";
  cuda.device_name = "A GPU";
  gpu.backends.push_back(cuda);
  results.insert(results.begin(), gpu);
  std::vector<std::string> names;
  for (const Threshold& t : break_evens_between(results)) {
    names.push_back(t.sides[0].name + " | " + t.sides[1].name + " | " + t.parameter);
    EXPECT_THAT(t.answers, SizeIs(1));
  }
  EXPECT_THAT(names, ElementsAre("CPU a, 2 cores | A GPU | m", "CPU b, 2 cores | A GPU | m",
                                 "CPU a, 2 cores | CPU b, 2 cores | m"));
}

TEST(BreakEvensBetween, TakeTheNewestResultOfACase) {
  std::vector<Result> results = two_machines();
  Result later = results[0];
  later.created = "2026-11-09T12:00:00Z";
  for (CaseResult& c : later.cases) c.seconds->median = c.seconds->median / 1e6;
  for (CaseResult& c : later.cases) c.seconds->ci_low = c.seconds->ci_high = c.seconds->median;
  results.insert(results.begin(), later);
  const std::vector<Threshold> all = break_evens_between(results);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].answers.at(0).found.answer, BreakEven::Answer::never);
  EXPECT_THAT(in_words(all[0].answers[0], all[0]),
              HasSubstr("CPU a, 2 cores is faster than CPU b, 2 cores at every"));
}

}  // namespace
}  // namespace breakeven
