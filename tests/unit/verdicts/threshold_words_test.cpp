// The sentences on an answer of `threshold`, and the texts of its points.
#include <gmock/gmock.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "results/number_text.h"
#include "unit/thresholds_sample.h"
#include "verdicts/threshold.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

LeadChange bracket(Lead below, Lead above, std::int64_t low, std::int64_t high) {
  return {.below = below,
          .above = above,
          .interval = {.low = static_cast<double>(low), .high = static_cast<double>(high)},
          .by_bisection = true,
          .from = high,
          .earliest = high,
          .latest = high};
}

Threshold changed(BreakEven::Answer answer, std::vector<LeadChange> changes, Quantity in = Quantity::time) {
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
            "b is faster than a from m = 384 (377 to 392) up to 1,024, the largest measured. Below that a is "
            "faster.");
  using enum BreakEven::Answer;
  EXPECT_EQ(
      words(changed(from_value, {bracket(Lead::neither, Lead::challenger, 48, 64)})),
      "b is faster than a from m = 64 up to 2,048, the largest measured. Below that there is no measurable "
      "difference.");
  EXPECT_EQ(words(changed(until_value, {bracket(Lead::challenger, Lead::baseline, 48, 64)}, Quantity::cost)),
            "a costs less than b from m = 64 up to 2,048, the largest measured. Below that b costs less.");
  EXPECT_EQ(words(changed(neither, {bracket(Lead::baseline, Lead::neither, 48, 64)}, Quantity::energy)),
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
  EXPECT_EQ(words(changed(always, {})), "b is faster than a at every value measured, from m = 64 to 2,048.");
  EXPECT_EQ(words(changed(never, {})), "a is faster than b at every value measured, from m = 64 to 2,048.");
  EXPECT_EQ(
      words(changed(neither, {})),
      "There is no measurable difference between a and b at every value measured, from m = 64 to 2,048.");
  EXPECT_THAT(words(changed(unclear, {})), HasSubstr("Run it again with more --minutes"));
  Threshold nothing = changed(unclear, {});
  nothing.answers[0].found.first.reset();
  nothing.answers[0].found.last.reset();
  EXPECT_EQ(words(nothing), "No value of m could be measured on both sides.");
}

TEST(ThresholdWords, CallThreadsByTheirNumber) {
  Threshold t = changed(BreakEven::Answer::from_value, {bracket(Lead::neither, Lead::challenger, 112, 128)});
  t.sides[1] = t.sides[0];
  t.sides[0].threads = 1;
  t.sides[1].threads = 2;
  EXPECT_EQ(words(t),
            "Two threads are faster than one from m = 128 up to 2,048, the largest measured. Below that they "
            "make no "
            "difference.");
  t.parameter = "batch";
  t.answers[0].found.changes[0].below = Lead::baseline;
  EXPECT_EQ(words(t),
            "Two threads are faster than one from batch 128 up to 2,048, the largest measured. Below that "
            "one thread is "
            "faster.");
}

TEST(ThresholdWords, CountThreadsInLettersUpToTwelve) {
  using enum BreakEven::Answer;
  const auto with = [](int baseline, int challenger, Quantity in, BreakEven::Answer answer = always) {
    Threshold t = changed(answer, {}, in);
    t.sides[1] = t.sides[0];
    t.sides[0].threads = baseline;
    t.sides[1].threads = challenger;
    return words(t);
  };
  const std::string range = " at every value measured, from m = 64 to 2,048.";
  EXPECT_EQ(with(13, 12, Quantity::time), "Twelve threads are faster than 13" + range);
  EXPECT_EQ(with(12, 13, Quantity::time), "13 threads are faster than twelve" + range);
  EXPECT_EQ(with(1, 2, Quantity::energy), "Two threads use less energy than one" + range);
  EXPECT_EQ(with(1, 2, Quantity::energy, never), "One thread uses less energy than two" + range);
  EXPECT_EQ(with(1, 2, Quantity::cost), "Two threads cost less than one" + range);
  EXPECT_EQ(with(1, 2, Quantity::cost, never), "One thread costs less than two" + range);
  EXPECT_EQ(with(1, 2, Quantity::time, never), "One thread is faster than two" + range);
  EXPECT_EQ(with(1, 2, Quantity::time, neither),
            "There is no measurable difference between a on 1 thread and a on 2 threads" + range);
  EXPECT_EQ(with(2, 2, Quantity::time), "a is faster than a" + range) << "not threads are what differs";
}

TEST(ThresholdWords, CountRanksIfTheSidesDifferInThem) {
  Threshold t = changed(BreakEven::Answer::always, {}, Quantity::time);
  t.sides[1] = t.sides[0];
  t.sides[1].ranks = 2;
  t.sides[1].threads = t.sides[0].threads + 1;  // which the ranks share
  EXPECT_EQ(words(t), "Two ranks are faster than one at every value measured, from m = 64 to 2,048.");
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
            "measured. Below that a is faster.");
  change.earliest = 200;
  change.latest = 300;
  EXPECT_EQ(
      words(changed(from_value, {change})),
      "b is faster than a from m = 256 (200 to 300, interpolated between 64 and 1,256) up to 2,048, the "
      "largest measured. Below that a is faster.");
  const LeadChange second = bracket(Lead::challenger, Lead::neither, 1500, 1600);
  EXPECT_EQ(words(changed(neither, {change, second})),
            "There is no measurable difference between a and b from m = 1,600 up to 2,048, the largest "
            "measured. Below that, down to m = 256 (200 to 300, interpolated between 64 and 1,256), b is "
            "faster. Below that a is faster.");
}

TEST(ThresholdWords, SayHowFarItGotAndWhatWasOneValue) {
  using enum BreakEven::Answer;
  EXPECT_EQ(words(changed(unclear, {})),
            "Not answered: time ran out while m = 64 to 2,048 were measured. Run it again with more "
            "--minutes.");
  Threshold interrupted = changed(unclear, {});
  interrupted.complete = false;
  EXPECT_EQ(words(interrupted),
            "Not answered: it was interrupted while m = 64 to 2,048 were measured. Run it again.");
  Threshold doubtful = changed(unclear, {});
  doubtful.answers[0].doubtful_launches = 3;
  EXPECT_EQ(
      words(doubtful),
      "Not answered: in 3 of 7 launches at m = 64 to 2,048 this machine was below its own speed. Run it "
      "again when nothing else shares its cores.");
  Threshold one = changed(always, {});
  one.answers[0].found.first = one.answers[0].found.last = 1024;
  EXPECT_EQ(words(one), "b is faster than a at m = 1,024, the only value measured.");
}

TEST(ThresholdWords, NameMachinesWhereTheSidesAreMachines) {
  Threshold t = changed(BreakEven::Answer::always, {});
  t.sides[1] = t.sides[0];
  t.sides[0].name = "box";
  t.sides[1].name = "server";
  t.sides[1].threads = 8;
  t.from_results = true;
  EXPECT_EQ(words(t), "server is faster than box at every value measured, from m = 64 to 2,048.");
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

/// The challenger is slower by the pairs, but faster by the medians of all launches.
TEST(ThresholdPointTest, ThatContradictsItsMediansIsNoted) {
  Threshold t = sample::threshold();
  EXPECT_FALSE(medians_disagree(t.answers[0].points[0], Quantity::time));
  EXPECT_EQ(medians_note(t.answers[0], "m"), "");
  t.answers[0].points[0].sides[1].seconds = 0.9e-5;
  EXPECT_TRUE(medians_disagree(t.answers[0].points[0], Quantity::time));
  EXPECT_THAT(medians_note(t.answers[0], "m"), HasSubstr("m 64: the two medians are of different launches"));
}

TEST(ThresholdPointTest, ContradictsItsMediansOnlyPlainly) {
  const auto disagree = [](double baseline, double challenger, double by_pairs) {
    ThresholdPoint point;
    point.log_ratios = {by_pairs};
    point.sides[0].seconds = baseline;
    point.sides[1].seconds = challenger;
    return medians_disagree(point, Quantity::time);
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
  EXPECT_FALSE(medians_disagree(point, Quantity::time)) << "without pairs";
  point.log_ratios = {1};
  point.sides[0].joules = 2;
  EXPECT_FALSE(medians_disagree(point, Quantity::energy)) << "the other side's is not known";
  point.sides[1].joules = 1;
  EXPECT_TRUE(medians_disagree(point, Quantity::energy));
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
