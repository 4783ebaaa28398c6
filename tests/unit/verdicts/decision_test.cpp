// Tests the verdict on a ratio.
#include "verdicts/decision.h"

#include <gmock/gmock.h>

#include <limits>

#include "reports/words/change_text.h"
#include "reports/words/notes.h"

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
    return note_text(why_inconclusive({.value = value, .low = low, .high = high}, threshold, significant));
  };
  EXPECT_EQ(why(1.029, 1.01, 1.05, true), "slower, perhaps by less than the threshold");
  EXPECT_EQ(why(0.98, 0.96, 0.99, true), "not slower, perhaps faster: measure more launches to be sure");
  EXPECT_EQ(why(1.05, 1.01, 1.09, false),
            "not significant among so many cases: by chance, some look this different");
  EXPECT_EQ(why(1.05, 0.99, 1.11, false),
            "launches differ too much to confirm this change: measure more launches");
  EXPECT_EQ(why(1, 0.9, 1.1, false), "launches differ by more than the threshold: measure more launches");
}

TEST(Decision, IsTheSameWhereTheIntervalShowsItHoweverSureTheChangeIs) {
  EXPECT_EQ(of(0.974, 0.9715, 0.976, true), Verdict::same);
  EXPECT_EQ(of(0.974, 0.9715, 0.976, false), Verdict::same);
}

TEST(Decision, IsNotSlowerWhereTheUpperEndIsBelowTheThreshold) {
  EXPECT_TRUE(not_slower({.value = 0.96, .low = 0.92, .high = 0.995}, threshold));
  EXPECT_TRUE(not_slower({.value = 0.99, .low = 0.92, .high = 1.03}, threshold)) << "the threshold itself";
  EXPECT_FALSE(not_slower({.value = 0.99, .low = 0.92, .high = 1.031}, threshold));
}

/// A case that was measured in so many launches, until time ran out.
struct Undecided {
  std::optional<Ratio> ratio = {};
  std::size_t launches = 6;
  double least_change = threshold;
  std::optional<bool> suspected_slower = {};
  bool not_slower = false;

  std::string reason() const {
    CaseVerdict c;
    c.ratio = ratio;
    c.launches.resize(launches);
    c.not_slower = not_slower;
    return reasons_text(reasons_of_inconclusive(
        c, least_change, suspected_slower,
        {.kind = NoteKind::time_ran_out, .figures = {static_cast<double>(launches), 20}}));
  }
};

TEST(Decision, SaysWhatIsLikelyOfWhatIsNotConfirmed) {
  Undecided undecided{.ratio = Ratio{.value = 1.56, .low = 1.49, .high = 1.63}, .suspected_slower = true};
  EXPECT_EQ(
      undecided.reason(),
      "probably slower (+56 %, +49 to +63 %), not confirmed: time ran out after 6 launches; re-run with "
      "--minutes 20");
  undecided.ratio->low = 0.99;
  EXPECT_THAT(undecided.reason(), testing::StartsWith("perhaps slower (+56 %, -1.0 to +63 %)"));
  undecided.suspected_slower = false;
  undecided.ratio = Ratio{.value = 0.96, .low = 0.92, .high = 0.995};
  EXPECT_THAT(undecided.reason(), testing::StartsWith("probably faster (-4.0 %, -8.0 to -0.5 %)"));
  undecided.suspected_slower.reset();
  EXPECT_THAT(undecided.reason(), testing::StartsWith("probably faster (-4.0 %, "))
      << "too few launches to suspect anything";
  undecided.not_slower = true;
  undecided.ratio = Ratio{.value = 0.98, .low = 0.92, .high = 1.02};
  EXPECT_EQ(undecided.reason(),
            "not slower, perhaps faster (-2.0 %, -8.0 to +2.0 %): time ran out after 6 launches; re-run with "
            "--minutes 20");
  undecided.not_slower = false;
  undecided.ratio = Ratio{.value = 1.01, .low = 1.001, .high = 1.04};
  EXPECT_EQ(undecided.reason(), "time ran out after 6 launches; re-run with --minutes 20")
      << "a change below the threshold";
  EXPECT_EQ(Undecided{.launches = 0}.reason(), "not measured: time ran out; re-run with --minutes 20");
}

/// A threshold of 1/4, whose bounds doubles hold exactly.
TEST(Decision, CountsTheThresholdItself) {
  constexpr double quarter = 0.25;
  EXPECT_TRUE(is_same({.value = 1, .low = 0.8, .high = 1.25}, quarter));
  EXPECT_FALSE(is_same({.value = 1, .low = 0.79, .high = 1.25}, quarter));
  EXPECT_FALSE(is_same({.value = 1, .low = 0.8, .high = 1.26}, quarter));
  EXPECT_EQ(decide({.value = 1.25, .low = 1.2, .high = 1.3}, quarter, true), Verdict::slower);
  EXPECT_EQ(decide({.value = 0.8, .low = 0.75, .high = 0.85}, quarter, true), Verdict::faster);
  EXPECT_EQ(decide({.value = 0.81, .low = 0.75, .high = 0.85}, quarter, true), Verdict::inconclusive);
  const auto why = [](double value, double low, double high) {
    return note_text(why_inconclusive({.value = value, .low = low, .high = high}, quarter, false));
  };
  EXPECT_THAT(why(1.25, 1.01, 1.5), testing::StartsWith("not significant among so many cases"));
  EXPECT_THAT(why(1.25, 1, 1.5), testing::StartsWith("launches differ too much to confirm"));
  EXPECT_THAT(why(1.24, 1.01, 1.5), testing::StartsWith("launches differ by more than the threshold"));
  EXPECT_THAT(why(0.8, 0.5, 1.3), testing::StartsWith("launches differ too much to confirm"));
  EXPECT_THAT(why(0.81, 0.5, 1.3), testing::StartsWith("launches differ by more than the threshold"));
}

TEST(Decision, BlamesTheProgramWhoseOwnLaunchesDiffer) {
  const std::vector<LaunchSamples> head_differs{{.base = {1.0}, .head = {1.0}},
                                                {.base = {1.002}, .head = {1.2}},
                                                {.base = {0.998}, .head = {1.0}},
                                                {.base = {1.0}, .head = {1.2}}};
  const auto text = [](const std::vector<LaunchSamples>& launches) {
    return note_text(launches_differ(launches));
  };
  EXPECT_EQ(text(head_differs),
            "launches differ too much after 4 launches; the head's own times differ by 10.5 % between "
            "launches, the base's by 0.163 %, so a quieter machine "
            "does not help: find out how processes of the head differ");
  std::vector<LaunchSamples> base_differs = head_differs;
  for (LaunchSamples& launch : base_differs) std::swap(launch.base, launch.head);
  EXPECT_THAT(text(base_differs), testing::HasSubstr("; the base's own times differ by 10.5 %"));
  const std::vector<LaunchSamples> both{{.base = {1.0}, .head = {1.1}}, {.base = {1.1}, .head = {1.0}}};
  EXPECT_THAT(text(both), testing::HasSubstr("; repeat it on a quieter machine"));
  EXPECT_THAT(text({}), testing::HasSubstr("; repeat it on a quieter machine"));
}

/// At the bounds of a threshold of 1/4, which doubles hold exactly.
TEST(Decision, LeansToAChangeThatReachesTheThresholdWithItsWholeInterval) {
  using testing::StartsWith;
  Undecided undecided{.launches = 1, .least_change = 0.25};
  EXPECT_THAT(undecided.reason(), StartsWith("time ran out after 1 launch;"));
  undecided.launches = 2;
  EXPECT_THAT(undecided.reason(), StartsWith("time ran out after 2 launches;"));
  undecided.suspected_slower = false;
  EXPECT_THAT(undecided.reason(),
              StartsWith("perhaps faster, not confirmed: time ran out after 2 launches;"));
  undecided.suspected_slower.reset();
  const auto of = [&](double value, double low, double high) {
    undecided.ratio = Ratio{.value = value, .low = low, .high = high};
    return undecided.reason();
  };
  EXPECT_THAT(of(1.25, 1.01, 1.5), StartsWith("probably slower (+25 %, +1.0 to +50 %), not confirmed: time"));
  EXPECT_THAT(of(1.24, 1.01, 1.5), StartsWith("time ran out"));
  EXPECT_THAT(of(1.25, 1, 1.5), StartsWith("time ran out"));
  EXPECT_THAT(of(0.8, 0.5, 0.99), StartsWith("probably faster (-20.0 %, -50 to -1.0 %)"));
  EXPECT_THAT(of(0.81, 0.5, 0.99), StartsWith("time ran out"));
  EXPECT_THAT(of(0.8, 0.5, 1), StartsWith("time ran out"));
}

TEST(ChangeText, HasADecimalWhereItMatters) {
  EXPECT_EQ(change_text(1.1999), "+20.0 %");
  EXPECT_EQ(change_text(1.25), "+25 %");
  EXPECT_EQ(change_text(0.81), "-19.0 %");
  EXPECT_EQ(change_text(0.75), "-25 %");
  EXPECT_EQ(change_text(1.0004), "0.0 %");
  EXPECT_EQ(change_text(1.0006), "+0.1 %");
  EXPECT_EQ(change_text(0.9994), "-0.1 %");
  EXPECT_EQ(change_text(3), "3.0x slower");
  EXPECT_EQ(change_text(2.99), "+199 %");
  EXPECT_EQ(change_text(1.0 / 3), "3.0x faster");
  EXPECT_EQ(change_text(0.34), "-66 %");
  EXPECT_EQ(change_text(9.99), "10x slower");
  EXPECT_EQ(change_text(10), "10x slower");
  EXPECT_EQ(change_text(std::numeric_limits<double>::infinity()), "unknown %");
  EXPECT_EQ(interval_text({.value = 4, .low = 1.5, .high = 12}), "1.5x to 12x");
  EXPECT_EQ(interval_text({.value = 0.25, .low = 0.125, .high = 0.5}), "2.0x to 8.0x");
  EXPECT_EQ(interval_text({.value = 0.25, .low = 0.01, .high = 1.5}), "100x faster to +50 %");
  EXPECT_EQ(interval_text({.value = 4, .low = 1, .high = 8}), "1.00x to 8.0x");
}

TEST(ChangeText, IsInPercentOrAFactor) {
  EXPECT_EQ(change_text(1.053), "+5.3 %");
  EXPECT_EQ(change_text(2.86), "+186 %");
  EXPECT_EQ(change_text(1.0001), "0.0 %");
  EXPECT_EQ(change_text(3.2), "3.2x slower");
  EXPECT_EQ(change_text(1.0 / 320), "320x faster");
  EXPECT_EQ(change_text(0.5), "-50 %");
  EXPECT_EQ(change_text(0), "-100 %");
  EXPECT_EQ(change_text(Ratio{.value = 0.0031, .low = 0.003, .high = 0.0032}), "323x faster, 312x to 333x");
  EXPECT_EQ(change_text(Ratio{.value = 4, .low = 3.9, .high = 4.1}), "4.0x slower, 3.9x to 4.1x");
  EXPECT_EQ(change_text(Ratio{.value = 3.2, .low = 0.8, .high = 13}), "3.2x slower, -20.0 % to 13x slower");
}

}  // namespace
}  // namespace breakeven
