// The sentences on an answer of `threshold`, and the texts of its points.
#include "reports/words/threshold_words.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "results/number_text.h"
#include "unit/thresholds_sample.h"
#include "verdicts/threshold.h"

namespace breakeven {
namespace {

using testing::HasSubstr;
using testing::Not;

LeadChange bracket(Lead below, Lead above, std::int64_t low, std::int64_t high) {
  return {.below = below,
          .above = above,
          .interval = {.low = static_cast<double>(low), .high = static_cast<double>(high)},
          .by_bisection = true,
          .from = high,
          .earliest = high,
          .latest = high};
}

Threshold changed(BreakEven::Answer answer, std::vector<LeadChange> changes, Metric in = Metric::time) {
  Threshold t = sample::threshold();
  t.answers[0].in = in;
  t.answers[0].found.answer = answer;
  t.answers[0].found.changes = std::move(changes);
  t.answers[0].found.last = 2048;
  return t;
}

std::string words(const Threshold& t) {
  return in_words(t.answers.at(0), t);
}

TEST(ThresholdWords, SayWhoIsAheadFromWhere) {
  EXPECT_EQ(words(sample::threshold()),
            "b is faster than a from m = 384 (377 to 392) up to 1,024, the largest measured: by ~3.7x at "
            "1,024. Below that a is faster.");
  using enum BreakEven::Answer;
  EXPECT_EQ(
      words(changed(from_value, {bracket(Lead::neither, Lead::challenger, 48, 64)})),
      "b is faster than a from m = 64 up to 2,048, the largest measured: by ~3.7x at 1,024. Below that there "
      "is no measurable difference.");
  EXPECT_EQ(words(changed(until_value, {bracket(Lead::challenger, Lead::baseline, 48, 64)}, Metric::cost)),
            "a costs less than b from m = 64 up to 2,048, the largest measured: by 2.0x at 64. Below that b "
            "costs less.");
  EXPECT_EQ(words(changed(neither, {bracket(Lead::baseline, Lead::neither, 48, 64)}, Metric::energy)),
            "There is no measurable difference between a and b from m = 64 up to 2,048, the largest "
            "measured. Below "
            "that a uses less energy.");
  EXPECT_EQ(words(changed(from_value, {bracket(Lead::challenger, Lead::baseline, 48, 64),
                                       bracket(Lead::baseline, Lead::challenger, 1000, 2048)})),
            "b is faster than a at m = 2,048, the largest measured. Below that, down to m = 64, a is faster. "
            "Below that "
            "b is faster.");
}

TEST(ThresholdWords, SayThatNothingChanges) {
  using enum BreakEven::Answer;
  EXPECT_EQ(words(changed(always, {})),
            "b is faster than a at every value measured, from m = 64 to 2,048: by ~3.7x at 1,024.");
  EXPECT_EQ(words(changed(never, {})),
            "a is faster than b at every value measured, from m = 64 to 2,048: by 2.0x at 64.");
  EXPECT_EQ(
      words(changed(neither, {})),
      "There is no measurable difference between a and b at every value measured, from m = 64 to 2,048.");
  EXPECT_THAT(words(changed(unclear, {})), HasSubstr("Run it again with more --minutes"));
  Threshold nothing = changed(unclear, {});
  nothing.answers[0].found.first.reset();
  nothing.answers[0].found.last.reset();
  ThresholdPoint& largest = nothing.answers[0].points.emplace_back();
  largest.value = nothing.answers[0].to;
  largest.reason = "b: out of memory";
  EXPECT_EQ(words(nothing), "No value of m could be measured on both sides.");
}

/// Only a side that cannot be measured ends the command with 4.
TEST(ThresholdWords, SayThatNoTimeWasLeftForAnyValue) {
  Threshold late = changed(BreakEven::Answer::unclear, {});
  ThresholdAnswer& answer = late.answers[0];
  answer.found.first.reset();
  answer.found.last.reset();
  answer.points.clear();
  answer.points.emplace_back().value = 64;  // whose first launch was cut short
  EXPECT_EQ(words(late),
            "Not answered: time ran out before a value was measured. Run it again with more --minutes.");
  EXPECT_EQ(exit_status(late), 3);
  late.complete = false;
  EXPECT_EQ(words(late), "Not answered: it was interrupted before a value was measured. Run it again.");
  answer.points[0].reason = "b: out of memory";
  EXPECT_EQ(exit_status(late), 3) << "the others were not tried";
  answer.points[0].value = answer.to;
  EXPECT_EQ(words(late), "No value of m could be measured on both sides.");
  EXPECT_EQ(exit_status(late), 4);
  answer.points.clear();
  late.from_results = true;
  EXPECT_EQ(exit_status(late), 4) << "no time limits that";
}

TEST(ThresholdWords, CallThreadsByTheirNumber) {
  Threshold t = changed(BreakEven::Answer::from_value, {bracket(Lead::neither, Lead::challenger, 112, 128)});
  t.sides[1] = t.sides[0];
  t.sides[0].threads = 1;
  t.sides[1].threads = 2;
  EXPECT_EQ(words(t),
            "Two threads are faster than one from m = 128 up to 2,048, the largest measured: by ~3.7x at "
            "1,024. Below that they make no difference.");
  t.parameter = "batch";
  t.answers[0].found.changes[0].below = Lead::baseline;
  EXPECT_EQ(words(t),
            "Two threads are faster than one from batch 128 up to 2,048, the largest measured: by ~3.7x at "
            "1,024. Below that one thread is faster.");
}

TEST(ThresholdWords, CountThreadsInLettersUpToTwelve) {
  using enum BreakEven::Answer;
  const auto with = [](int baseline, int challenger, Metric in, BreakEven::Answer answer = always) {
    Threshold t = changed(answer, {}, in);
    t.sides[1] = t.sides[0];
    t.sides[0].threads = baseline;
    t.sides[1].threads = challenger;
    t.answers[0].points.clear();
    return words(t);
  };
  const std::string range = " at every value measured, from m = 64 to 2,048.";
  EXPECT_EQ(with(13, 12, Metric::time), "Twelve threads are faster than 13" + range);
  EXPECT_EQ(with(12, 13, Metric::time), "13 threads are faster than twelve" + range);
  EXPECT_EQ(with(1, 2, Metric::energy), "Two threads use less energy than one" + range);
  EXPECT_EQ(with(1, 2, Metric::energy, never), "One thread uses less energy than two" + range);
  EXPECT_EQ(with(1, 2, Metric::cost), "Two threads cost less than one" + range);
  EXPECT_EQ(with(1, 2, Metric::cost, never), "One thread costs less than two" + range);
  EXPECT_EQ(with(1, 2, Metric::time, never), "One thread is faster than two" + range);
  EXPECT_EQ(with(1, 2, Metric::time, neither),
            "There is no measurable difference between a on 1 thread and a on 2 threads" + range);
  EXPECT_EQ(with(2, 2, Metric::time), "a is faster than a" + range) << "not threads are what differs";
}

TEST(ThresholdWords, CountRanksIfTheSidesDifferInThem) {
  Threshold t = changed(BreakEven::Answer::always, {}, Metric::time);
  t.sides[1] = t.sides[0];
  t.sides[1].ranks = 2;
  t.sides[1].threads = t.sides[0].threads + 1;  // which the ranks share
  EXPECT_EQ(
      words(t),
      "Two ranks are faster than one at every value measured, from m = 64 to 2,048: by ~3.7x at 1,024.");
  EXPECT_EQ(name_of_side(t, 0), "a on 1 rank");
}

TEST(ThresholdWords, NameTheTypesIfTheSidesMayDifferInThem) {
  Threshold t = changed(BreakEven::Answer::always, {});
  t.unlike_precision = true;
  t.config =
      R"({"threshold": {"challenger": {"parameters": {"dtype": "bf16"}}}, "workloads": [{"dtype": "f32"}]})";
  EXPECT_EQ(name_of_side(t, 0), "a in f32");
  EXPECT_EQ(name_of_side(t, 1), "b in bf16");
  t.config = R"({"workloads": [{"dtype": ["f32", "bf16"]}]})";
  EXPECT_EQ(name_of_side(t, 0), "a");
  t.config = "not JSON";
  EXPECT_EQ(name_of_side(t, 0), "a");
}

TEST(ThresholdWords, SayWhereTheyInterpolate) {
  LeadChange change = bracket(Lead::baseline, Lead::challenger, 64, 256);
  change.interpolated = true;
  change.last_below = 64;
  change.first_above = 1256;
  using enum BreakEven::Answer;
  EXPECT_EQ(words(changed(from_value, {change})),
            "b is faster than a from m = 256 (interpolated between 64 and 1,256) up to 2,048, the largest "
            "measured: by ~3.7x at 1,024. Below that a is faster.");
  change.earliest = 200;
  change.latest = 300;
  EXPECT_EQ(
      words(changed(from_value, {change})),
      "b is faster than a from m = 256 (200 to 300, interpolated between 64 and 1,256) up to 2,048, the "
      "largest measured: by ~3.7x at 1,024. Below that a is faster.");
  const LeadChange second = bracket(Lead::challenger, Lead::neither, 1500, 1600);
  EXPECT_EQ(words(changed(neither, {change, second})),
            "There is no measurable difference between a and b from m = 1,600 up to 2,048, the largest "
            "measured. Below that, down to m = 256 (200 to 300, interpolated between 64 and 1,256), b is "
            "faster. Below that a is faster.");
  change.earliest = 65;
  change.latest = 1256;
  EXPECT_THAT(words(changed(from_value, {change})),
              HasSubstr("from m = 256 (between 64 and 1,256, interpolated) up to 2,048"))
      << "nothing is known of where between them";
}

TEST(ThresholdWords, SayHowFarItGotAndWhatWasOneValue) {
  using enum BreakEven::Answer;
  Threshold late = changed(unclear, {});
  late.answers[0].points.clear();
  EXPECT_EQ(words(late),
            "Not answered: time ran out while m = 64 to 2,048 were measured. Run it again with more "
            "--minutes.");
  late.answers[0].found.last = 64;
  EXPECT_EQ(words(late),
            "Not answered: time ran out while m = 64 was measured. Run it again with more --minutes.");
  Threshold interrupted = changed(unclear, {});
  interrupted.complete = false;
  interrupted.answers[0].points.clear();
  EXPECT_EQ(words(interrupted),
            "Not answered: it was interrupted while m = 64 to 2,048 were measured. Run it again.");
  Threshold one = changed(always, {});
  one.answers[0].found.first = one.answers[0].found.last = 1024;
  EXPECT_EQ(words(one), "b is faster than a at m = 1,024, the only value measured: by ~3.7x.");
}

TEST(ThresholdWords, SayWhereTheSidesAreAlmostEqual) {
  Threshold t = changed(BreakEven::Answer::from_value, {bracket(Lead::baseline, Lead::challenger, 128, 256)});
  ThresholdAnswer& answer = t.answers[0];
  answer.points.clear();
  for (const auto& [value, ratio] : std::map<std::int64_t, double>{
           {64, 1.5}, {128, 1.04}, {256, 0.99}, {512, 0.975}, {1024, 0.97}, {2048, 0.8}})
    answer.points.push_back({.value = value, .log_ratios = std::vector<LaunchEffect>(6, std::log(ratio))});
  EXPECT_EQ(words(t),
            "b is faster than a from m = 256 up to 2,048, the largest measured: by 1.01x at 256 and 1.2x at "
            "2,048. Below that a is faster. From m = 128 to 1,024 the two are within 4 % of each other.");
  answer.points[3].log_ratios = std::vector<LaunchEffect>(6, std::log(0.9));
  EXPECT_THAT(words(t), Not(HasSubstr("each other"))) << "not over a long range";
}

/// 28 launches, twice at each ratio.
std::vector<LaunchEffect> open_launches() {
  std::vector<LaunchEffect> launches;
  for (int i = 0; i < 14; ++i) {
    launches.emplace_back(-0.01 * i);
    launches.emplace_back(0.01 * i);
  }
  return launches;
}

TEST(ThresholdWords, SayWhereManyLaunchesLeaveItOpen) {
  Threshold t = changed(BreakEven::Answer::unclear, {});
  ThresholdAnswer& answer = t.answers[0];
  answer.points[1].log_ratios = answer.points[2].log_ratios = open_launches();
  EXPECT_EQ(
      words(t),
      "Not answered: the launches at m = 512 and more do not show whether a or b is ahead, because they "
      "differ too much. At 64 a is faster. Run it again on a quieter machine.");
  answer.points[2].log_ratios.assign(8, {-0.4, 0.4});
  answer.points[1].log_ratios = {-0.9};
  answer.found.last = 1024;
  EXPECT_EQ(words(t),
            "Not answered: the launches at m = 1,024 do not show whether a or b is ahead, because this "
            "machine was below its own speed. At 512 b is faster. Run it again when nothing else shares its "
            "cores.");
  answer.found.changes = {bracket(Lead::baseline, Lead::challenger, 128, 256)};
  EXPECT_THAT(words(t), HasSubstr("own speed. b is faster than a from m = 256 up to 512. Run it again"));
  Threshold always = changed(BreakEven::Answer::always, {});
  always.answers[0].points[0].log_ratios = open_launches();
  EXPECT_THAT(words(always), HasSubstr("at every value measured, from m = 64 to 2,048, except at 64"));
}

/// A point of one launch, whose ratio is plain from 1.2 on.
ThresholdPoint one_launch_at(std::int64_t value, double ratio) {
  ThresholdPoint point;
  point.value = value;
  point.log_ratios = {std::log(ratio)};
  return point;
}

/// An answer with these points of the values 8, 16, 32, ...
Threshold with_points(BreakEven::Answer answer, const std::vector<double>& ratios,
                      std::vector<LeadChange> changes = {}) {
  Threshold t = changed(answer, std::move(changes));
  t.answers[0].points.clear();
  std::int64_t value = 8;
  for (const double ratio : ratios) {
    t.answers[0].points.push_back(one_launch_at(value, ratio));
    value *= 2;
  }
  t.answers[0].found.first = 8;
  t.answers[0].found.last = value / 2;
  return t;
}

/// Time ran out before the place of the change was known, although the ends were clear.
TEST(ThresholdWords, SayWhatIsKnownWithoutAnAnswer) {
  using enum BreakEven::Answer;
  Threshold t = with_points(unclear, {1.01, 1.02, 1 / 1.6, 1 / 1.8, 1 / 1.9});
  t.parameter = "batch";
  EXPECT_EQ(
      words(t),
      "b is faster than a from batch 32 up to 128, the largest measured: by ~1.6x at 32 and ~1.9x at 128. "
      "Where that begins, at 32 or below, is not known: time ran out. Run it again with more --minutes.");
  t.answers[0].points[0].log_ratios.assign(8, 0.001);  // enough launches to show that nobody is ahead
  EXPECT_THAT(words(t), HasSubstr("Where that begins, between 8 and 32, is not known"));
  t.answers[0].points[0].log_ratios = {std::log(1 / 1.6)};
  EXPECT_THAT(words(t), HasSubstr("Where that begins, at 32 or below, is not known")) << "16 is not clear";
  t.complete = false;
  EXPECT_THAT(words(t), HasSubstr("is not known: it was interrupted. Run it again."));
  t.complete = true;
  EXPECT_THAT(words(with_points(unclear, {1.5, 1 / 1.5})),
              HasSubstr("faster than a at m = 16, the largest measured: by ~1.5x. Where that begins"));
  EXPECT_THAT(words(with_points(unclear, {1 / 1.5, 1.01})), HasSubstr("Not answered")) << "in doubt above";
  EXPECT_THAT(words(with_points(unclear, {1.5, 1.6})), HasSubstr("Not answered")) << "nothing changes";
}

TEST(ThresholdWords, NameValuesThatTheResultsDoNotShow) {
  using enum BreakEven::Answer;
  const auto from_results = [](Threshold t) {
    t.from_results = true;
    return words(t);
  };
  EXPECT_EQ(from_results(with_points(always, {1 / 1.5, 1, 1 / 1.7})),
            "b is faster than a at every value measured, from m = 8 to 32, except at 16: by ~1.5x at 8 and "
            "~1.7x at 32.");
  EXPECT_THAT(from_results(with_points(never, {1.5, 1, 2, 1, 2, 1, 2})),
              HasSubstr("from m = 8 to 512, except at 16, 64 and 256: by"));
  EXPECT_THAT(from_results(with_points(never, {1.5, 1, 2, 1, 2, 1, 2, 1, 2})),
              HasSubstr("except at 4 of 9 values: by"));
  LeadChange change = bracket(Lead::baseline, Lead::challenger, 32, 64);
  change.interpolated = true;
  change.earliest = change.latest = change.from = 40;
  change.last_below = 32;
  change.first_above = 64;
  EXPECT_EQ(
      from_results(with_points(from_value, {2, 1, 2, 0.5, 1, 0.5}, {change})),
      "b is faster than a from m = 40 (interpolated between 32 and 64) up to 256, the largest measured, "
      "except at 128: by ~2.0x at 64 and ~2.0x at 256. Below that a is faster except at 16.");
}

/// A change between results without intervals is not sure, however wide the others' intervals are.
TEST(ThresholdExitStatus, IsThreeWhereAChangeRestsOnResultsWithoutAnInterval) {
  using enum BreakEven::Answer;
  LeadChange change = bracket(Lead::baseline, Lead::challenger, 16, 32);
  change.interpolated = true;
  change.last_below = 16;
  change.first_above = 32;
  Threshold t = with_points(from_value, {2, 2, 0.5, 0.5}, {change});
  t.from_results = true;
  EXPECT_EQ(exit_status(t), 3);
  for (const std::size_t inside : {1U, 2U})
    t.answers[0].points[inside].interval = Interval{.low = -1, .high = 1};
  EXPECT_EQ(exit_status(t), 0) << "the other values are plain";
  Threshold everywhere = with_points(always, {0.5, 0.5, 0.5});
  everywhere.from_results = true;
  EXPECT_EQ(exit_status(everywhere), 0);
}

TEST(ThresholdPointTest, HasTheLeadThatTheSearchSees) {
  ThresholdPoint point;
  EXPECT_EQ(lead_at(point, false), std::nullopt) << "not measured";
  // The pointwise interval of the mean, 1.5x, excludes 1. The search, which looks again and again, still sees
  // no lead, and no equality either.
  point.log_ratios = {0.1, 0.6, 0.2, 0.5, 0.15, 0.45, 0.2, 0.35};
  EXPECT_EQ(lead_of(*point.ratio()), Lead::baseline);
  EXPECT_EQ(lead_at(point, false), std::nullopt);
  point.log_ratios = {0.002, 0.001, -0.002, -0.001, 0};
  EXPECT_EQ(lead_at(point, false), Lead::neither);
  point.log_ratios = {-0.19};
  EXPECT_EQ(lead_at(point, false), std::nullopt);
  EXPECT_EQ(lead_at(point, true), Lead::challenger) << "1.21x is plain for two results";
}

/// A line through many launches shows a lead where those at one value are too few to show it.
TEST(ThresholdPointTest, IsShownWithTheLeadOfTheLineNearACrossing) {
  ThresholdAnswer answer = sample::threshold().answers[0];  // the challenger leads from 384 (377 to 392)
  answer.found.changes[0].last_below = 256;
  answer.found.changes[0].first_above = 512;
  ThresholdPoint point;
  point.value = 360;
  point.log_ratios = {0.05, -0.02, 0.04};
  EXPECT_EQ(shown_lead(point, answer, false), Lead::baseline);
  point.log_ratios = {-0.05, 0.02, -0.04};
  EXPECT_EQ(shown_lead(point, answer, false), Lead::neither) << "it does not lean to the line's side";
  point.value = 380;
  EXPECT_EQ(shown_lead(point, answer, false), Lead::neither) << "within the interval";
  point.log_ratios = {-0.5, -0.4};
  EXPECT_EQ(shown_lead(point, answer, false), Lead::challenger) << "its own launches show it";
  point.value = 400;
  point.log_ratios = {-0.05, 0.02, -0.04};
  EXPECT_EQ(shown_lead(point, answer, false), Lead::challenger);
  point.value = 520;
  EXPECT_EQ(shown_lead(point, answer, false), Lead::neither) << "the line does not go there";
  point.value = 400;
  answer.found.changes[0].by_bisection = true;
  EXPECT_EQ(shown_lead(point, answer, false), Lead::neither) << "there is no line";
  point.log_ratios.clear();
  EXPECT_EQ(shown_lead(point, answer, false), Lead::neither);
}

TEST(ThresholdWords, WriteBytesInTheirUnits) {
  EXPECT_EQ(value_text("bytes", 64), "64 bytes");
  EXPECT_EQ(value_text("bytes", 1000), "0.977 KiB");
  EXPECT_EQ(value_text("bytes", std::int64_t{1} << 26U), "64 MiB");
  EXPECT_EQ(value_text("bytes", 84'345'476), "80.4 MiB");
  EXPECT_EQ(value_text("m", 1024), "1,024");
  Threshold t = with_points(BreakEven::Answer::always, {0.5, 0.5});
  t.parameter = "bytes";
  t.answers[0].points[1].value = 1 << 20;
  t.answers[0].found.last = 1 << 20;
  EXPECT_EQ(
      words(t),
      "b is faster than a at every value measured, from 8 bytes to 1 MiB: by ~2.0x at 8 bytes and ~2.0x "
      "at 1 MiB.");
}

TEST(ThresholdWords, NameMachinesWhereTheSidesAreMachines) {
  Threshold t = changed(BreakEven::Answer::always, {});
  t.sides[1] = t.sides[0];
  t.sides[0].name = "box";
  t.sides[1].name = "server";
  t.sides[1].threads = 8;
  t.from_results = true;
  t.answers[0].points.erase(t.answers[0].points.begin());
  EXPECT_EQ(words(t),
            "server is faster than box at every value measured, from m = 64 to 2,048: by ~3.7x at 1,024.");
}

TEST(ThresholdWords, AreNamesInFiles) {
  EXPECT_THAT(all_names<BreakEven::Answer>(),
              testing::ElementsAre("from_value", "until_value", "always", "never", "neither", "unclear"));
  EXPECT_THAT(all_names<Lead>(), testing::ElementsAre("baseline", "challenger", "neither"));
}

TEST(ThresholdWords, NameWhatWasThere) {
  Threshold t = sample::threshold();
  t.sides[0].wanted = {"a", "mkl"};
  EXPECT_THAT(words(t), HasSubstr("faster than a from")) << "mkl was not among the backends";
  t.sides[0].backends.clear();
  EXPECT_THAT(words(t), HasSubstr("faster than a or MKL from"));
}

TEST(ThresholdWords, GroupDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(ThresholdPointTest, HasTheRatioOfItsPairsWithAnInterval) {
  const ThresholdAnswer answer = sample::threshold().answers[0];
  const auto three = answer.points[0].ratio();
  ASSERT_TRUE(three && three->interval);
  EXPECT_NEAR(three->value, std::exp(0.7), 1e-12);
  EXPECT_LT(three->interval->low, three->value);
  EXPECT_FALSE(answer.points[1].ratio()) << "it was not measured";
  EXPECT_FALSE(answer.points[2].ratio()->interval) << "two launches say nothing of how much they vary";
}

/// Three launches agree by chance at one of many values.
TEST(ThresholdWords, StateNoLeadOfAFewLaunchesThatNoOtherValueShares) {
  Threshold t = changed(BreakEven::Answer::unclear, {});
  ThresholdAnswer& answer = t.answers[0];
  answer.points.clear();
  for (const std::int64_t value : {64, 128, 256, 512}) {
    ThresholdPoint& point = answer.points.emplace_back();
    point.value = value;
    point.log_ratios = {0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.02, -0.02};
  }
  answer.points.back().log_ratios = {-0.05, -0.0501, -0.0499};
  EXPECT_FALSE(bracketed_change(answer));
  answer.points.back().log_ratios = {-0.5, -0.51, -0.49};
  EXPECT_TRUE(bracketed_change(answer)) << "plain";
  answer.points[2].log_ratios = answer.points.back().log_ratios = {-0.07, -0.0701, -0.0699};
  EXPECT_TRUE(bracketed_change(answer)) << "two values share it";
}

TEST(ThresholdNotes, SayWhichChangesAreLessPreciseThanRequested) {
  Threshold t = sample::threshold();
  ThresholdAnswer& answer = t.answers[0];
  answer.found.changes = {{.interval = {.low = 26, .high = 32}, .from = 28, .earliest = 26, .latest = 32}};
  t.width = 0.04;
  EXPECT_EQ(
      width_note(answer, t),
      "the interval of m = 28 is 24 % wide, and \"width\" requests 4 %: hence status 3. More --minutes may "
      "narrow it");
  EXPECT_EQ(exit_status(t), 3);
  answer.found.changes.push_back(
      {.interval = {.low = 64, .high = 256}, .from = 99, .earliest = 65, .latest = 256});
  EXPECT_THAT(width_note(answer, t), HasSubstr("m = 99 is 300 % wide")) << "the widest";
  answer.found.changes = {{.interval = {.low = 1000, .high = 1040.4}, .from = 1, .earliest = 1, .latest = 2}};
  EXPECT_THAT(width_note(answer, t), HasSubstr("4.1 % wide, and \"width\" requests 4 %"));
  t.width = 0.25;
  EXPECT_EQ(width_note(answer, t), "");
  EXPECT_EQ(exit_status(t), 0);
}

/// The challenger is slower by the pairs, but faster by the medians of all launches.
TEST(ThresholdPointTest, ThatContradictsItsMediansIsNoted) {
  Threshold t = sample::threshold();
  EXPECT_FALSE(medians_disagree(t.answers[0].points[0], Metric::time));
  EXPECT_EQ(medians_note(t.answers[0], "m"), "");
  t.answers[0].points[0].sides[1].seconds = 0.9e-5;
  EXPECT_TRUE(medians_disagree(t.answers[0].points[0], Metric::time));
  EXPECT_THAT(medians_note(t.answers[0], "m"), HasSubstr("m 64: the two medians are of different launches"));
}

TEST(ThresholdPointTest, ContradictsItsMediansOnlyPlainly) {
  const auto disagree = [](double baseline, double challenger, double by_pairs) {
    ThresholdPoint point;
    point.log_ratios = {by_pairs};
    point.sides[0].seconds = baseline;
    point.sides[1].seconds = challenger;
    return medians_disagree(point, Metric::time);
  };
  EXPECT_TRUE(disagree(1, 1.006, -0.006));
  EXPECT_TRUE(disagree(1, 0.994, 0.006));
  EXPECT_FALSE(disagree(1, 1.006, 0.006));
  EXPECT_FALSE(disagree(1, 1.004, -0.006)) << "nobody sees half a per cent";
  EXPECT_FALSE(disagree(1, 1.006, -0.004));
  EXPECT_FALSE(disagree(0, 1.006, -0.006));
  EXPECT_FALSE(disagree(1, 0, 0.006));
  ThresholdPoint point;
  point.sides[0].seconds = point.sides[1].seconds = 1;
  EXPECT_FALSE(medians_disagree(point, Metric::time)) << "without pairs";
  point.log_ratios = {1};
  point.sides[0].joules = 2;
  EXPECT_FALSE(medians_disagree(point, Metric::energy)) << "the other side's is not known";
  point.sides[1].joules = 1;
  EXPECT_TRUE(medians_disagree(point, Metric::energy));
}

TEST(ThresholdPointTest, AllThatContradictTheirMediansAreInOneNote) {
  ThresholdAnswer answer;
  for (const std::int64_t value : {8, 16, 2048}) {
    ThresholdPoint& point = answer.points.emplace_back();
    point.value = value;
    point.log_ratios = {value == 16 ? -1.0 : 1.0};
    point.sides[0].seconds = 2;
    point.sides[1].seconds = 1;
  }
  EXPECT_EQ(
      medians_note(answer, "batch"),
      "batch 8, 2,048: the two medians are of different launches; the verdict compares pairs of one launch");
}

/// Eight launches count without the highest and the lowest, as in the search.
TEST(ThresholdPointTest, LeavesOutTheOutermostLaunches) {
  ThresholdPoint point;
  point.log_ratios = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 5};
  EXPECT_NEAR(point.ratio()->value, std::exp(0.1), 1e-12);
}

/// Expected by Student's t: the mean of 0.1, 0.2 and 0.3, plus and minus 4.3027 times 0.1 / sqrt(3).
TEST(ThresholdPointTest, HasStudentsIntervalOrThatOfTheResults) {
  ThresholdPoint point;
  point.log_ratios = {0.1, 0.2, 0.3};
  const Estimate three = point.ratio().value();
  EXPECT_NEAR(three.value, std::exp(0.2), 1e-12);
  EXPECT_NEAR(three.interval->low, std::exp(0.2 - 4.30265 * 0.1 / std::sqrt(3)), 1e-5);
  EXPECT_NEAR(three.interval->high, std::exp(0.2 + 4.30265 * 0.1 / std::sqrt(3)), 1e-5);
  point.interval = Interval{.low = -1, .high = 2};
  EXPECT_EQ(point.ratio()->interval, (Interval{.low = std::exp(-1), .high = std::exp(2)}));
}

}  // namespace
}  // namespace breakeven
