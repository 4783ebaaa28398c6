// From a ratio to a verdict.
#include <gtest/gtest.h>

#include "verdicts/decision.h"

namespace breakeven {
namespace {

constexpr double threshold = 0.03;

Verdict of(double value, double low, double high, bool significant) {
  return decide({.value = value, .low = low, .high = high}, threshold, significant);
}

TEST(Decision, IsSameOnlyWhereTheWholeIntervalIsWithinTheThreshold) {
  EXPECT_EQ(of(1, 0.98, 1.02, false), Verdict::same);
  EXPECT_EQ(of(1.02, 1.015, 1.025, true), Verdict::same) << "sure, and too small to matter";
  EXPECT_EQ(of(1, 0.98, 1.04, false), Verdict::inconclusive);
  EXPECT_EQ(of(1, 0.96, 1.02, false), Verdict::inconclusive);
  EXPECT_EQ(of(1, 1, 1, false), Verdict::same);
}

TEST(Decision, IsDifferentOnlyWhereSignificantAndAtLeastTheThreshold) {
  EXPECT_EQ(of(1.05, 1.04, 1.06, true), Verdict::slower);
  EXPECT_EQ(of(1.03, 1.01, 1.05, true), Verdict::slower) << "the threshold itself is reached";
  EXPECT_EQ(of(1.05, 1.01, 1.09, false), Verdict::inconclusive);
  EXPECT_EQ(of(1.029, 1.01, 1.05, true), Verdict::inconclusive);
  EXPECT_EQ(of(0.95, 0.94, 0.96, true), Verdict::faster);
  EXPECT_EQ(of(0.95, 0.94, 0.96, false), Verdict::inconclusive);
}

TEST(Decision, TakesBothDirectionsAlike) {
  for (const double change : {1.01, 1.02, 1.029, 1.031, 1.04, 1.1}) {
    const Ratio up{.value = change, .low = change / 1.005, .high = change * 1.005};
    const Ratio down{.value = 1 / change, .low = 1 / up.high, .high = 1 / up.low};
    const Verdict verdict = decide(up, threshold, true);
    EXPECT_EQ(decide(down, threshold, true), verdict == Verdict::slower ? Verdict::faster : verdict)
        << change;
  }
}

TEST(Decision, SaysWhyItIsInconclusive) {
  const auto why = [](double value, double low, double high, bool significant) {
    return why_inconclusive({.value = value, .low = low, .high = high}, threshold, significant);
  };
  EXPECT_EQ(why(1.029, 1.01, 1.05, true), "it is slower, but perhaps by less than the threshold");
  EXPECT_EQ(why(0.98, 0.96, 0.99, true), "it is faster, but perhaps by less than the threshold");
  EXPECT_EQ(why(1.05, 1.01, 1.09, false),
            "one case alone would count as different; among so many, chance makes some look so");
  EXPECT_EQ(why(1.05, 0.99, 1.11, false),
            "the change reaches the threshold, but launches differ too much to be sure of it");
  EXPECT_EQ(why(1, 0.9, 1.1, false), "the interval reaches beyond the threshold: launches differ too much");
}

}  // namespace
}  // namespace breakeven
