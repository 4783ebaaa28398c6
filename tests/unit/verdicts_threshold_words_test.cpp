// The sentences on an answer of `threshold`, and the texts of its points.
#include <gmock/gmock.h>

#include <cmath>

#include "results/number_text.h"
#include "thresholds_sample.h"
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

/// By the pairs the challenger is slower; by the medians of all launches it is faster.
TEST(ThresholdPointTest, ThatContradictsItsMediansIsNoted) {
  Threshold t = sample::threshold();
  EXPECT_FALSE(medians_disagree(t.answers[0].points[0], Quantity::time));
  EXPECT_EQ(medians_note(t.answers[0], "m"), "");
  t.answers[0].points[0].sides[1].seconds = 0.9e-5;
  EXPECT_TRUE(medians_disagree(t.answers[0].points[0], Quantity::time));
  EXPECT_THAT(medians_note(t.answers[0], "m"), HasSubstr("m 64: the two medians are of different launches"));
}

}  // namespace
}  // namespace breakeven
