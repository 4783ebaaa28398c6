// Tests finding the value from which one machine is faster than another, from results of both.
#include "verdicts/break_even_from_results.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "reports/words/notes.h"
#include "reports/words/threshold_words.h"
#include "unit/reports_sample.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
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

/// The zero of the straight line through two points of logarithms, beyond the second.
double zero_after(std::pair<double, double> before, std::pair<double, double> here) {
  const double slope = std::log(here.second / before.second) / std::log(here.first / before.first);
  return here.first * std::exp(-std::log(here.second) / slope);
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
}

/// Straight in logarithms: the chords of the values beside say the same, but for their errors.
TEST(BreakEvenOfResults, AStraightLineHasANarrowInterval) {
  const BreakEven one = found({{1, 8}, {4, 2}, {16, 0.5}, {64, 0.125}});
  ASSERT_THAT(one.changes, SizeIs(1));
  const LeadChange& change = one.changes[0];
  const double high = zero_after({1, 8 / 1.01}, {4, 2 * 1.01});
  EXPECT_NEAR(change.interval.high, high, 1e-9);
  EXPECT_NEAR(change.interval.low, 64 / high, 1e-9)
      << "the chord above says the same, seen from the other end";
  EXPECT_EQ(change.earliest, 8);
  EXPECT_EQ(change.latest, 9);
}

/// The curve is 0.3 + 0.7 (m / 99)^3: the interpolated crossing is early, and the interval has the true one
/// in it.
TEST(BreakEvenOfResults, ABentCurveIsAllowedFor) {
  for (const bool falls : {false, true}) {
    std::vector<std::pair<std::int64_t, double>> values;
    for (std::int64_t m = 16; m <= 1024; m *= 2) {
      const double ratio = 0.3 + 0.7 * std::pow(static_cast<double>(m) / 99, 3);
      values.emplace_back(m, falls ? 1 / ratio : ratio);
    }
    const BreakEven one = found(values, 0.001);
    ASSERT_THAT(one.changes, SizeIs(1));
    EXPECT_LT(one.changes[0].crossing, 96);
    EXPECT_LE(one.changes[0].interval.low, one.changes[0].crossing);
    EXPECT_GT(one.changes[0].interval.high, 99);
    EXPECT_LE(one.changes[0].interval.high, 128);
  }
}

TEST(BreakEvenOfResults, WithoutValuesBesideTheCrossingIsBetweenTwo) {
  const BreakEven one = found({{4, 2}, {16, 0.5}});
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_EQ(one.changes[0].interval, (Interval{.low = 4, .high = 16}));
  EXPECT_EQ(one.changes[0].earliest, 5);
  EXPECT_EQ(one.changes[0].latest, 16);
  EXPECT_TRUE(one.changes[0].by_bisection);
  EXPECT_FALSE(one.changes[0].interpolated);
  EXPECT_EQ(one.changes[0].from, 16) << "the only value that is known to be above it";
}

/// A line that rises beside a falling one says nothing of where it crosses.
TEST(BreakEvenOfResults, ACurveThatTurnsMayCrossAnywhereOnThatSide) {
  const BreakEven one = found({{1, 1.5}, {4, 2}, {16, 0.5}, {64, 0.125}});
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_EQ(one.changes[0].interval.high, 16);
  EXPECT_GT(one.changes[0].interval.low, 7);
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

/// The zero of the straight line between two points of logarithms.
double zero(double at, double height, double next_at, double next_height) {
  const double part = std::log(height) / (std::log(height) - std::log(next_height));
  return std::exp(std::log(at) + part * (std::log(next_at) - std::log(at)));
}

TEST(BreakEvenOfResults, EachEndOfTheIntervalHasItsOwnZero) {
  const BreakEven falling = found({{1, 4}, {4, 1.05}, {16, 0.98}, {64, 0.25}}, 0.1);
  ASSERT_THAT(falling.changes, SizeIs(1));
  EXPECT_NEAR(falling.changes[0].crossing, zero(4, 1.05, 16, 0.98), 1e-9);
  EXPECT_NEAR(falling.changes[0].interval.low, zero(1, 4 / 1.1, 4, 1.05 / 1.1), 1e-9);
  EXPECT_NEAR(falling.changes[0].interval.high, zero(16, 0.98 * 1.1, 64, 0.25 * 1.1), 1e-9);

  const BreakEven rising = found({{1, 0.25}, {4, 0.98}, {16, 1.05}, {64, 4}}, 0.1);
  EXPECT_EQ(rising.answer, BreakEven::Answer::until_value);
  ASSERT_THAT(rising.changes, SizeIs(1));
  EXPECT_EQ(rising.changes[0].below, Lead::challenger);
  EXPECT_NEAR(rising.changes[0].crossing, zero(4, 0.98, 16, 1.05), 1e-9);
  EXPECT_NEAR(rising.changes[0].interval.low, zero(1, 0.25 * 1.1, 4, 0.98 * 1.1), 1e-9);
  EXPECT_NEAR(rising.changes[0].interval.high, zero(16, 1.05 / 1.1, 64, 4 / 1.1), 1e-9);
}

/// The last crossing between the first and the last value at which the lead may change is the answer.
TEST(BreakEvenOfResults, OfSeveralZerosInDoubtTheLastCounts) {
  const BreakEven one = found({{1, 2}, {2, 1.05}, {4, 0.97}, {8, 1.04}, {16, 0.5}}, 0.1);
  ASSERT_THAT(one.changes, SizeIs(1));
  EXPECT_NEAR(one.changes[0].crossing, zero(8, 1.04, 16, 0.5), 1e-9);
  EXPECT_NEAR(one.changes[0].interval.low, zero(1, 2 / 1.1, 2, 1.05 / 1.1), 1e-9);
  EXPECT_NEAR(one.changes[0].interval.high, zero(8, 1.04 * 1.1, 16, 0.5 * 1.1), 1e-9);
  EXPECT_EQ(one.changes[0].from, static_cast<std::int64_t>(std::ceil(one.changes[0].crossing)));
}

/// How far the ratio may be off is not known, so the crossing may be anywhere between the two values.
TEST(BreakEvenOfResults, WithoutIntervalsTheCrossingIsBetweenTheValuesMeasured) {
  for (const std::size_t missing : {1U, 2U}) {
    std::vector<RatioAt> values = ratios({{1, 4}, {4, 2}, {16, 0.5}, {64, 0.25}});
    values[missing].ratio.interval.reset();
    const BreakEven one = break_even_of(values);
    ASSERT_THAT(one.changes, SizeIs(1));
    const LeadChange& change = one.changes[0];
    EXPECT_TRUE(change.interpolated);
    EXPECT_EQ(change.from, 8);
    EXPECT_EQ(change.earliest, 5) << missing;
    EXPECT_EQ(change.latest, 16) << missing;
    EXPECT_EQ(change.interval, (Interval{.low = 4, .high = 16}));
    EXPECT_EQ(one.stated_at(4), Lead::baseline);
    EXPECT_EQ(one.stated_at(16), Lead::challenger);
  }
  std::vector<RatioAt> values = ratios({{1, 4}, {4, 2}, {16, 0.5}, {64, 0.25}});
  values[0].ratio.interval.reset();
  EXPECT_EQ(break_even_of(values).changes.at(0).latest, 16) << "how the curve bends is not known either";
}

/// Whatever the ratios are, and whether or not they have intervals. in_words() names single values in doubt.
TEST(BreakEvenOfResults, StatesNoLeadThatTheRatiosDoNotShow) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> logarithm(0, 0.3);
  std::bernoulli_distribution has_interval(0.7);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<RatioAt> values;
    for (std::int64_t value = 4; value <= 2048; value *= 2) {
      values.push_back(ratios({{value, std::exp(logarithm(generator))}}, 0.15).front());
      if (!has_interval(generator)) values.back().ratio.interval.reset();
    }
    const BreakEven one = break_even_of(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto stated = one.stated_at(values[i].value);
      const Lead shown = lead_of(values[i].ratio);
      const bool is_single = shown == Lead::neither && i > 0 && i + 1 < values.size() &&
                             lead_of(values[i - 1].ratio) == stated && lead_of(values[i + 1].ratio) == stated;
      EXPECT_TRUE(!stated || *stated == shown || is_single) << "trial " << trial << ", " << values[i].value;
    }
  }
}

TEST(BreakEvenOfResults, SaysHowManyValuesThereWere) {
  const BreakEven one = found({{3, 2}, {5, 2}, {9, 0.5}});
  EXPECT_EQ(one.first, 3);
  EXPECT_EQ(one.last, 9);
  EXPECT_EQ(one.values, 3U);
  EXPECT_EQ(one.launches, 0U);
}

TEST(BreakEvenOfResults, InDoubtAtEitherEndNeitherIsAheadThere) {
  const BreakEven until = found({{1, 0.5}, {4, 0.5}, {16, 1}});
  EXPECT_EQ(until.answer, BreakEven::Answer::neither);
  ASSERT_THAT(until.changes, SizeIs(1));
  EXPECT_EQ(until.changes[0].below, Lead::challenger);
  EXPECT_EQ(until.changes[0].above, Lead::neither);
  EXPECT_EQ(until.changes[0].crossing, 8) << "the middle, as logarithms go";
  EXPECT_EQ(until.changes[0].interval, (Interval{.low = 4, .high = 16}));
  const BreakEven from = found({{1, 1}, {4, 2}, {16, 2}});
  EXPECT_EQ(from.answer, BreakEven::Answer::until_value);
  EXPECT_EQ(from.changes.at(0).below, Lead::neither);
  EXPECT_EQ(from.changes.at(0).above, Lead::baseline);
  EXPECT_EQ(from.changes.at(0).from, 4);
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
  for (const auto& [ratio, answer] : {std::pair(1.21, BreakEven::Answer::never),
                                      {1.19, BreakEven::Answer::neither},
                                      {0.84, BreakEven::Answer::neither},
                                      {0.83, BreakEven::Answer::always}})
    EXPECT_EQ(break_even_of(std::vector<RatioAt>{{.value = 1, .ratio = {.value = ratio}}}).answer, answer)
        << ratio << ": a fifth is plain";
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
  ASSERT_THAT(t.warnings, Not(IsEmpty()));
  EXPECT_THAT(note_text(t.warnings[0]),
              AllOf(HasSubstr("two machines, on different days (2026-11-01 and 2026-11-03)"),
                    HasSubstr("not in turn"), HasSubstr("runs of one machine that differ by 1 %")));
  EXPECT_EQ(exit_status(t), 0) << "however wide its interval is";
}

/// The interval of one launch says how well a run knows its own time, not how far the next run may be from
/// it.
TEST(ThresholdFromResults, SaysWhatIntervalsOfFewLaunchesDoNotCover) {
  std::vector<Result> results = two_machines();
  const auto set_launches = [&](std::size_t count) {
    for (Result& run : results) {
      for (CaseResult& c : run.cases) c.seconds->launches.assign(count, 6);
    }
  };
  set_launches(5);
  EXPECT_THAT(note_texts(between(results).warnings), Each(Not(HasSubstr("launches"))));
  set_launches(4);
  EXPECT_THAT(note_texts(between(results).warnings),
              Contains(AllOf(HasSubstr("do not cover how much launches differ"),
                             HasSubstr("measure with \"launches\": 5"))));
}

TEST(ThresholdFromResults, SaysHowManyTimesHaveNoInterval) {
  std::vector<Result> results = two_machines();
  const auto drop = [](CaseResult& c) { c.seconds->ci_low = c.seconds->ci_high = std::nullopt; };
  drop(results[0].cases[0]);
  const Threshold one = between(results);
  ASSERT_GE(one.warnings.size(), 2u);
  EXPECT_THAT(note_text(one.warnings[1]),
              HasSubstr("1 of 8 times has no interval: too few samples were taken."));
  EXPECT_EQ(exit_status(one), 0) << "the change is elsewhere";
  for (CaseResult& c : results[1].cases) drop(c);
  const Threshold many = between(results);
  EXPECT_THAT(note_text(many.warnings.at(1)), HasSubstr("5 of 8 times have no interval"));
  EXPECT_THAT(in_words(many.answers.at(0), many), HasSubstr("(between 64 and 256, interpolated)"));
  EXPECT_EQ(exit_status(many), 3);
}

TEST(ThresholdFromResults, SaysWhatIsKnownOfBothSides) {
  std::vector<Result> results = two_machines();
  results[1].host.threads = 1;
  const Threshold t = between(results);
  EXPECT_EQ(t.created, "2026-11-03T12:00:00Z") << "the later one's";
  EXPECT_TRUE(t.complete);
  EXPECT_EQ(t.host.name, "a");
  EXPECT_EQ(t.title, "From which m on is CPU b, 1 thread faster than CPU a, 2 cores?");
  EXPECT_EQ(t.parameter, "m");
  EXPECT_EQ(t.config, "null");
  EXPECT_THAT(t.sides[0].wanted, ElementsAre("onednn", "openblas"));
  EXPECT_THAT(t.sides[1].wanted, ElementsAre("onednn")) << "openblas has no times there";
  ASSERT_THAT(t.sides[0].backends, SizeIs(2));
  ASSERT_THAT(t.sides[1].backends, SizeIs(1));
  EXPECT_EQ(t.sides[1].backends[0].name, "onednn");
  EXPECT_EQ(t.sides[0].threads, 2);
  EXPECT_EQ(t.sides[1].threads, 1);
  EXPECT_EQ(t.sides[0].name, "CPU a, 2 cores");
  EXPECT_EQ(t.sides[1].host.value().name, "b");
  const ThresholdPoint& point = t.answers.at(0).points.at(0);
  EXPECT_EQ(point.value, 16);
  EXPECT_NEAR(point.sides[0].seconds.value(), 16e-6, 1e-12);
  EXPECT_NEAR(point.sides[1].seconds.value(), 101.6e-6, 1e-12);
  EXPECT_NEAR(point.sides[0].interval.value().high, 16e-6 * 1.01, 1e-12);
  EXPECT_NEAR(point.log_ratios.at(0).middle(), std::log(101.6 / 16), 1e-9);
  EXPECT_EQ(t.answers[0].from, 16);
  EXPECT_EQ(t.answers[0].to, 1024);
  EXPECT_EQ(t.answers[0].in, Metric::time);
  EXPECT_FALSE(point.wrong);
  EXPECT_THAT(note_texts(t.answers[0].notes), IsEmpty());
}

TEST(ThresholdFromResults, ComparesBackendsAndThreadsOfOneMachine) {
  std::vector<Result> results = two_machines();
  results[1].host = results[0].host;
  const Threshold backends = between(results);
  EXPECT_EQ(backends.sides[0].name, "CPU a, 2 cores with onednn or openblas");
  EXPECT_EQ(backends.sides[1].name, "CPU a, 2 cores with onednn");
  EXPECT_THAT(note_text(backends.warnings.at(0)), HasSubstr("measured on one machine, on different days"));
  results[1] = results[0];
  results[1].host.threads = 1;
  results[1].created = results[0].created;
  const Threshold threads = between(results);
  EXPECT_EQ(threads.sides[1].name, "CPU a, 1 thread");
  EXPECT_THAT(note_text(threads.warnings.at(0)), HasSubstr("on one machine, on one day (2026-11-01)"));
}

std::string words_of_two(std::pair<double, double> a, std::pair<double, double> b) {
  const auto side = [](std::pair<double, double> times) {
    return std::vector{timed("onednn", 2, times.first), timed("onednn", 64, times.second)};
  };
  const Threshold t =
      between({machine("a", side(a), "2026-11-01T12:00:00Z"), machine("b", side(b), "2026-11-03T12:00:00Z")});
  EXPECT_EQ(exit_status(t), t.answers.at(0).found.answer == BreakEven::Answer::neither ? 3 : 0);
  return in_words(t.answers.at(0), t);
}

/// A bracket among more values.
TEST(ThresholdFromResults, SaysBetweenWhichValuesALeadBegins) {
  std::vector<CaseResult> a;
  std::vector<CaseResult> b;
  for (const std::int64_t m : {2, 4, 16, 64}) {
    a.push_back(timed("onednn", m, m < 16 ? 1e-5 : 2e-5));
    b.push_back(timed("onednn", m, 1e-5));
  }
  const Threshold t =
      between({machine("a", a, "2026-11-01T12:00:00Z"), machine("b", b, "2026-11-03T12:00:00Z")});
  EXPECT_EQ(
      in_words(t.answers.at(0), t),
      "CPU b, 2 cores is faster than CPU a, 2 cores from a value of m between 4 and 16 on, up to 64, the "
      "largest measured: by 2.0x at 16 and 2.0x at 64. Up to 4 there is no measurable difference.");
}

/// Nothing is known between two values, and the answer says nothing about it.
TEST(ThresholdFromResults, TwoValuesAreAnAnswer) {
  EXPECT_EQ(words_of_two({1e-5, 9e-5}, {2e-5, 3e-5}),
            "CPU b, 2 cores is faster than CPU a, 2 cores from a value of m between 2 and 64, the largest "
            "measured, on: by 3.0x. At 2 CPU a, 2 cores is faster, by 2.0x.");
  EXPECT_EQ(words_of_two({1e-5, 9e-5}, {1e-5, 3e-5}),
            "CPU b, 2 cores is faster than CPU a, 2 cores from a value of m between 2 and 64, the largest "
            "measured, on: by 3.0x. At 2 there is no measurable difference.");
  EXPECT_EQ(
      words_of_two({2e-5, 9e-5}, {1e-5, 3e-5}),
      "CPU b, 2 cores is faster than CPU a, 2 cores at both values measured, m = 2 and 64: by 2.0x at 2 "
      "and 3.0x at 64.");
  EXPECT_EQ(words_of_two({1e-5, 2e-5}, {1e-5, 2e-5}),
            "There is no measurable difference between CPU a, 2 cores and CPU b, 2 cores at both values "
            "measured, m = 2 and 64.");
}

TEST(ThresholdFromResults, AnswersInMoneyWithPrices) {
  Threshold t = between(two_machines());
  const ThresholdAnswer in_time = t.answers.at(0);
  const auto price = [](double per_hour) { return HourlyPrice{.per_hour = per_hour, .from = {}}; };
  add_costs(t, {price(0.5), price(1)});
  ASSERT_THAT(t.answers, SizeIs(2));
  EXPECT_EQ(t.answers[0].in, Metric::time);
  const ThresholdAnswer& in_money = t.answers[1];
  EXPECT_EQ(in_money.in, Metric::cost);
  EXPECT_EQ(t.sides[1].price->per_hour, 1);
  for (std::size_t i = 0; i < in_money.points.size(); ++i) {
    const ThresholdPoint& point = in_money.points[i];
    EXPECT_NEAR(point.ratio()->value, 2 * in_time.points[i].ratio()->value, 1e-9);
    EXPECT_NEAR(point.ratio()->interval->high, 2 * in_time.points[i].ratio()->interval->high, 1e-9);
    EXPECT_NEAR(point.sides[0].cost.value(), point.sides[0].seconds.value() * 0.5 / 3600, 1e-15);
  }
  EXPECT_NEAR(in_money.found.changes.at(0).crossing, 250, 25) << "200 us and a fifth of m, over m";
  EXPECT_THAT(in_words(in_money, t), HasSubstr("CPU b, 2 cores costs less than CPU a, 2 cores from m = 2"));
}

TEST(ThresholdFromResults, WhatOneSideDoesNotSupportIsNoResultThatWasLeftOut) {
  std::vector<Result> results = two_machines();
  results[0].cases.push_back(sample::refused(timed("blis", 64, 1), Status::unsupported, "no"));
  results[0].cases.push_back(sample::refused(timed("mkl", 64, 1), Status::timed_out, "late"));
  results[0].cases.push_back(timed("onednn", 2048, 1));
  results[0].cases.push_back(timed("onednn", 4096, 1));
  results[1].cases.push_back(sample::refused(timed("onednn", 2048, 1), Status::failed, ""));
  const Threshold t = between(results);
  EXPECT_THAT(note_texts(t.answers.at(0).notes),
              ElementsAre("CPU a, 2 cores: 1 result was left out, without a time",
                          "m 2048, 4096 measured on CPU a, 2 cores alone",
                          "CPU b, 2 cores: 1 result was left out, without a time"));
  EXPECT_FALSE(t.answers[0].points.at(1).wrong);
}

TEST(ThresholdFromResults, ASideMayBeSeveralDevices) {
  std::vector<Result> results = two_machines();
  CaseResult on_gpu = sample::on_gpu(timed("cuda", 16, 1));
  results[1].cases.push_back(on_gpu);
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device_name = "A GPU";
  results[1].backends.push_back(cuda);
  EXPECT_EQ(between(results).sides[1].name, "A GPU or CPU b, 2 cores");
}

TEST(ThresholdFromResults, AnswersForEachDtypeByItsName) {
  std::vector<Result> results = two_machines();
  for (Result& run : results) {
    const std::vector<CaseResult> f32 = run.cases;
    run.cases.clear();
    for (const char* dtype : {"f64", "bf16"}) {
      for (const CaseResult& c : f32) run.cases.push_back(sample::in_dtype(c, dtype));
    }
  }
  const Threshold t = between(results);
  ASSERT_THAT(t.answers, SizeIs(2));
  EXPECT_EQ(t.answers[0].title, "matmul, m = n = k, bf16");
  EXPECT_EQ(t.answers[1].title, "matmul, m = n = k, f64");
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
  EXPECT_THAT(note_texts(t.answers[0].notes),
              ElementsAre(HasSubstr("4 results were left out"),
                          HasSubstr("m 4096 measured on CPU b, 2 cores alone")));
  EXPECT_EQ(exit_status(t), 1);
}

TEST(ThresholdFromResults, WhatIsWrongWhereASideHasNothingElseIsSaid) {
  for (const Status status : {Status::wrong, Status::implausible}) {
    std::vector<Result> results = two_machines();
    for (CaseResult& c : results[1].cases) {
      if (c.parameters.integer("m") == 256) c = sample::refused(c, status, "element 0");
    }
    const Threshold t = between(results);
    EXPECT_EQ(exit_status(t), 1);
    const auto& points = t.answers.at(0).points;
    const auto wrong = std::ranges::find(points, 256, &ThresholdPoint::value);
    ASSERT_NE(wrong, points.end());
    EXPECT_TRUE(wrong->wrong);
    EXPECT_EQ(wrong->ratio(), std::nullopt);
    EXPECT_THAT(wrong->reason, HasSubstr("is wrong"));
  }
}

TEST(ThresholdFromResults, WhatIsWrongEverywhereIsSaidBesideWhatIsNot) {
  std::vector<Result> results = two_machines();
  for (Result& run : results) {
    for (const CaseResult& c : std::vector<CaseResult>(run.cases))
      run.cases.push_back(sample::in_dtype(c, "bf16"));
  }
  for (CaseResult& c : results[1].cases) {
    if (c.dtype == "bf16") c = sample::refused(c, Status::wrong, "element 0");
  }
  const Threshold t = between(results);
  ASSERT_THAT(t.answers, SizeIs(2));
  EXPECT_EQ(exit_status(t), 1);
  EXPECT_THAT(in_words(t.answers[0], t), HasSubstr("No value of m could be measured on both sides."));
}

TEST(ThresholdFromResults, OfAnUnquietProcessorSaysHowFastItRan) {
  std::vector<Result> results = two_machines();
  const auto share = [&](std::size_t point) {
    return between(results).answers.at(0).points.at(point).sides[0].own_speed;
  };
  EXPECT_EQ(share(0), std::nullopt) << "not known";
  for (CaseResult& c : results[0].cases) {
    c.seconds->samples.assign(10, c.seconds->median);
    c.seconds->own_speed.assign(10, c.parameters.integer("m") == 16 ? 0.16 : 0.44);
  }
  EXPECT_EQ(share(0), 0.16);
  EXPECT_EQ(share(1), 0.44);
  for (CaseResult& c : results[0].cases) c.device = "gpu";
  EXPECT_EQ(share(0), std::nullopt);
}

/// A single value in doubt between equal leads is noise, but the answer does not claim it.
TEST(ThresholdFromResults, ExceptsTheValueThatTheyDoNotShow) {
  std::vector<Result> results = two_machines();
  for (CaseResult& c : results[1].cases) c.seconds->median = 1e-6;
  for (CaseResult& c : results[1].cases) {
    if (c.parameters.integer("m") == 64) c.seconds->median = 64e-6;
    c.seconds->ci_low = 0.99 * c.seconds->median;
    c.seconds->ci_high = 1.01 * c.seconds->median;
  }
  const Threshold t = between(results);
  EXPECT_THAT(
      in_words(t.answers.at(0), t),
      HasSubstr("at every value measured, from m = 16 to 1,024, except at 64: by 16x at 16 and 1,020x "
                "at 1,024."));
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
  const auto card = [&](const std::string& id) {
    Result run = same[0];
    for (CaseResult& c : run.cases) c.device = "gpu";
    for (BackendRecord& backend : run.backends) {
      backend.device = "gpu";
      backend.device_name = "A GPU";
      backend.device_id = id;
    }
    return run;
  };
  EXPECT_THAT(refusal({card("GPU-1"), card("GPU-1")}), testing::Pair(2, HasSubstr("that is one side")));
  EXPECT_THAT(refusal({card("GPU-1"), card("GPU-2")}), testing::Pair(0, "")) << "two cards are two sides";

  EXPECT_THAT(refusal(two_machines(), "bath"),
              testing::Pair(2, AllOf(HasSubstr("no case of CPU a, 2 cores has it"),
                                     HasSubstr("did you mean 'batch'?"))));

  std::vector<Result> dtypes = two_machines();
  for (CaseResult& c : dtypes[1].cases) c.dtype = "bf16";
  EXPECT_THAT(refusal(dtypes),
              testing::Pair(4, HasSubstr("CPU a, 2 cores has results in f32 and CPU b, 2 cores in bf16")));

  std::vector<Result> few = two_machines();
  few[1].cases.resize(1);
  EXPECT_THAT(refusal(few),
              testing::Pair(4, HasSubstr("no problem has a time on both at 2 or more values of m")));
  EXPECT_THAT(refusal(two_machines(), "batch"), testing::Pair(4, HasSubstr("at 2 or more values of batch")));

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

TEST(BreakEvensBetween, AreOfOneDtypeAndOneStateOfTheCaches) {
  std::vector<Result> results = two_machines();
  for (CaseResult& c : results[1].cases) c = sample::in_dtype(c, "bf16");
  EXPECT_THAT(break_evens_between(results), IsEmpty());
  results = two_machines();
  results[1].config = R"({"measure": {"cache": "cold"}})";
  EXPECT_THAT(break_evens_between(results), IsEmpty());
  results[0].config = results[1].config;
  EXPECT_THAT(break_evens_between(results), SizeIs(1));
}

TEST(BreakEvensBetween, AreNotOfCeilingsAndWhatFits) {
  std::vector<Result> results{machine("a", {}, "2026-11-01T12:00:00Z"),
                              machine("b", {}, "2026-11-02T12:00:00Z")};
  for (Result& run : results) {
    for (const std::int64_t bytes : {1024, 4096, 16384})
      run.cases.push_back(sample::measured_case("read", {{"bytes", bytes}, {"dtype", "f32"}}, 1e-6));
  }
  EXPECT_THAT(break_evens_between(results), IsEmpty());
  EXPECT_THAT(between(results, "bytes").answers, SizeIs(1)) << "where it is asked for";
  results = two_machines();
  for (Result& run : results) {
    for (CaseResult& c : run.cases) c.fit = Fit{.largest = 1, .refused = 2, .limit = ""};
  }
  EXPECT_THAT(break_evens_between(results), IsEmpty());
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

TEST(BreakEvensBetween, KeepWhatAnInterruptedRunDidNotMeasure) {
  const std::vector<Result> two = two_machines();
  Result interrupted = two[0];
  interrupted.created = "2026-11-09T12:00:00Z";
  for (CaseResult& c : interrupted.cases) c = sample::refused(c, Status::interrupted, "not measured yet");
  const std::string expected =
      in_words(break_evens_between(two).at(0).answers.at(0), break_evens_between(two).at(0));
  for (const std::size_t place : {0U, 2U}) {
    std::vector<Result> results = two;
    results.insert(results.begin() + static_cast<std::ptrdiff_t>(place), interrupted);
    const std::vector<Threshold> all = break_evens_between(results);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(in_words(all[0].answers.at(0), all[0]), expected) << place;
  }
}

}  // namespace
}  // namespace breakeven
