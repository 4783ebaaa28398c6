#include "verdicts/break_even.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

using Curve = std::function<double(double)>;  // log(challenger's seconds / baseline's) of a value

/// The baseline takes a time in proportion to value^power; the challenger a `share` of that where it is long,
/// and an offset that makes both equal at `crossing`.
Curve offset_challenger(double crossing, double share, double power) {
  const double equal = std::pow(crossing, power);
  return [=](double value) {
    const double baseline = std::pow(value, power);
    return std::log((share * baseline + (1 - share) * equal) / baseline);
  };
}

using Noise = std::function<double()>;  // of a launch

BreakEven search_for(const Curve& curve, const BreakEvenRules& rules, const Noise& noise) {
  BreakEvenSearch search(rules);
  int launches = 0;
  while (const auto value = search.next()) {
    EXPECT_GE(*value, rules.from);
    EXPECT_LE(*value, rules.to);
    search.add(*value, curve(static_cast<double>(*value)) + noise());
    if (++launches > 2000) throw std::runtime_error("the search does not end");
  }
  return search.answer();
}

/// Runs a search with normal noise of this standard deviation.
BreakEven search_for(const Curve& curve, const BreakEvenRules& rules, double noise, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> off(0, noise);
  return search_for(curve, rules, [&] { return off(generator); });
}

TEST(BreakEven, IsFromTheCrossingOn) {
  const BreakEven found =
      search_for(offset_challenger(777.3, 0.3, 3), {.from = 16, .to = 8192, .multiple = 1}, 0.01, 1);
  EXPECT_EQ(found.answer, BreakEven::Answer::from_value);
  ASSERT_EQ(found.changes.size(), 1U);
  const LeadChange& change = found.changes[0];
  EXPECT_EQ(change.below, Lead::baseline);
  EXPECT_EQ(change.above, Lead::challenger);
  EXPECT_NEAR(change.crossing, 777.3, 10);
  EXPECT_LE(change.earliest, change.from);
  EXPECT_LE(change.from, change.latest);
  EXPECT_EQ(change.from, std::ceil(change.crossing));
  EXPECT_EQ(found.first, 16);
  EXPECT_EQ(found.last, 8192);
}

TEST(BreakEven, MayBeAlwaysOrNever) {
  const auto level = [](double ahead) { return [=](double) { return ahead; }; };
  const BreakEvenRules rules{.from = 16, .to = 4096};
  const BreakEven always = search_for(level(-0.3), rules, 0.01, 1);
  EXPECT_EQ(always.answer, BreakEven::Answer::always);
  EXPECT_EQ(always.launches, 9U) << "one a power of two";
  EXPECT_EQ(search_for(level(0.3), rules, 0.01, 1).answer, BreakEven::Answer::never);
  EXPECT_EQ(search_for(level(0), rules, 0.01, 1).answer, BreakEven::Answer::neither);
}

/// The curve of a library that uses one more thread from some size on, and is unchanged below.
Curve step(double at, double below, double above) {
  return [=](double value) { return value < at ? below : above; };
}

/// The sizes suit the library's blocks more or less: no line fits the values, but each shows which side is
/// ahead.
TEST(BreakEven, IsByBisectionWhereNoLineGoesThrough) {
  const auto curve = [](double value) { return value < 60 ? 0.5 : value < 90 ? -0.15 : -1.2; };
  const BreakEven found = search_for(curve, {.from = 8, .to = 2048, .multiple = 16}, 0.01, 1);
  EXPECT_EQ(found.answer, BreakEven::Answer::from_value);
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_TRUE(found.changes[0].by_bisection);
  EXPECT_EQ(found.changes[0].from, 64);
  EXPECT_EQ(found.changes[0].earliest, 64);
}

/// A library may use other code from some size on, while the lead grew the other way before. The zero of the
/// line through the values on one side of the jump is then far from there.
TEST(BreakEven, IsFoundWhereTheLeadJumpsAgainstItsSlope) {
  for (const double sign : {1.0, -1.0}) {
    const auto curve = [=](double value) { return sign * (value > 100 ? -0.3 : 0.3 + 0.001 * value); };
    const BreakEven found = search_for(curve, {.from = 64, .to = 128}, 0.003, 1);
    EXPECT_EQ(found.answer, sign > 0 ? BreakEven::Answer::from_value : BreakEven::Answer::until_value);
    ASSERT_EQ(found.changes.size(), 1U);
    const LeadChange& change = found.changes[0];
    EXPECT_LE(change.earliest, 101);
    EXPECT_GE(change.latest, 101);
    EXPECT_GE(change.from, 99);
    EXPECT_LE(change.from, 105) << "4 %";
  }
}

/// A launch that is 30 % off, once, at a value far from any change, is not taken for one.
TEST(BreakEven, OneLaunchThatIsFarOffChangesNothing) {
  BreakEvenSearch search({.from = 16, .to = 4096});
  bool was_off = false;
  while (const auto value = search.next()) {
    const bool is_off = *value == 256 && !was_off;
    was_off = was_off || is_off;
    search.add(*value, is_off ? 0.3 : -0.3);
  }
  const BreakEven found = search.answer();
  ASSERT_TRUE(was_off);
  EXPECT_EQ(found.answer, BreakEven::Answer::always);
}

/// The values that a search measures, in order, and its changes with who is ahead below and above, and its
/// answer: "16 32 3*64: baseline, from 50 (48 to 52) challenger; from_value".
std::string asked(
    const Curve& curve, const BreakEvenRules& rules, const Noise& noise = [] { return 0.0; }) {
  BreakEvenSearch search(rules);
  std::vector<std::pair<std::int64_t, int>> values;  // each with how many times in a row
  for (int i = 0; i < 300; ++i) {
    const auto value = search.next();
    if (!value) break;
    if (values.empty() || values.back().first != *value) values.emplace_back(*value, 0);
    ++values.back().second;
    search.add(*value, curve(static_cast<double>(*value)) + noise());
  }
  std::string text;
  for (const auto& [value, times] : values)
    text +=
        (text.empty() ? "" : " ") + (times > 1 ? std::to_string(times) + "*" : "") + std::to_string(value);
  for (const LeadChange& change : search.answer().changes)
    text += fmt::format(": {}, {} {} ({} to {}) {}", name(change.below), change.by_bisection ? "at" : "from",
                        change.from, change.earliest, change.latest, name(change.above));
  return fmt::format("{}; {}", text, name(search.answer().answer));
}

/// 1, -1, 1/2 and -1/2 of this size, again and again: the same on every machine.
Noise alternating(double size) {
  return [size, i = std::size_t{0}]() mutable {
    constexpr std::array<double, 4> parts{1, -1, 0.5, -0.5};
    return size * parts.at(i++ % parts.size());
  };
}

/// Every launch costs a user seconds: where they go, and how many there are, changes only on purpose.
TEST(BreakEven, AsksAboutTheGridAndThenAroundTheCrossing) {
  EXPECT_EQ(asked(offset_challenger(777.3, 0.3, 3), {.from = 16, .to = 8192}),
            "16 32 64 128 256 512 1024 2048 4096 8192 512 1024 3*814 3*725 755 767 778 790 802 755 767 778 "
            "790 802 755 767: baseline, from 778 (778 to 778) challenger; from_value");
  EXPECT_EQ(asked(offset_challenger(777.3, 0.3, 3), {.from = 16, .to = 8192}, alternating(0.01)),
            "16 32 64 128 256 512 1024 2048 4096 8192 512 1024 4*814 4*725 755 767 778 790 802 755 767 778 "
            "790 802 755 767: baseline, from 778 (776 to 780) challenger; from_value");
  EXPECT_EQ(
      asked(offset_challenger(500.9, 0.3, 3), {.from = 16, .to = 8192, .multiple = 8}, alternating(0.01)),
      "16 32 64 128 256 512 1024 2048 4096 8192 4*512 256 2*432 480 488 496 504 "
      "480 488 496 504 480 488 496 504 2*520: baseline, from 504 (504 to 504) challenger; from_value");
  EXPECT_EQ(asked(offset_challenger(2.6, 0.1, 1), {.from = 1, .to = 64}, alternating(0.01)),
            "1 2 4 8 16 32 64 2 4 4*3: baseline, at 3 (3 to 3) challenger; from_value")
      << "nothing lies between 2 and 3";
  EXPECT_EQ(asked([](double value) { return 0.4 - value / 100; }, {.from = 36, .to = 44}, alternating(0.005)),
            "36 44 36 44 36 44 36 44 4*36 4*44 39 40 41 39 40 "
            "41 39 40 41 39 40 41: baseline, from 40 (40 to 41) challenger; from_value");
}

TEST(BreakEven, AsksInTheMiddleWhereThereIsNoZero) {
  EXPECT_EQ(asked(step(97, 0, -0.4), {.from = 8, .to = 256}, alternating(0.005)),
            "8 16 32 64 128 256 8 16 32 64 8 16 32 64 8 16 "
            "32 64 128 4*91 2*108 2*99 4*95 2*97: neither, at 97 (96 to 97) challenger; from_value");
  EXPECT_EQ(asked(step(300, 0.3, 0), {.from = 8, .to = 1024, .multiple = 4}, alternating(0.005)),
            "8 16 32 64 128 256 512 1024 512 1024 512 1024 512 1024 "
            "256 4*364 4*304 2*280 2*292 2*296: baseline, at 304 (300 to 304) neither; neither");
}

TEST(BreakEven, AsksAsFarAroundAsTheNoiseIsLarge) {
  EXPECT_EQ(asked(offset_challenger(1000, 0.5, 1), {.from = 16, .to = 8192}, alternating(0.002)),
            "16 32 64 128 256 512 1024 2048 4096 8192 3*1024 512 "
            "2048 3*1124 4*923 972 987 1002 1017 1033 972 987 1002 1017 "
            "1033 972 987: baseline, from 1001 (999 to 1003) challenger; from_value");
  EXPECT_EQ(
      asked(offset_challenger(1000, 0.5, 1), {.from = 16, .to = 8192}, alternating(0.01)),
      "16 32 64 128 256 512 1024 2048 4096 8192 7*1024 512 2048 5*1116 5*918 973 988 1004 "
      "1019 1035 973 988 1004 1019 1035 973 988: baseline, from 1002 (991 to 1010) challenger; from_value");
  EXPECT_EQ(asked(offset_challenger(1000, 0.5, 1), {.from = 16, .to = 8192}, alternating(0.03)),
            "16 32 64 128 256 512 1024 2048 4096 8192 7*1024 512 2048 8*1096 994 1044 "
            "1151 1208 994 1044 1151 1208 913 959 1007 1057 1110 913 959 1007 1057 1110 "
            "913 959 1007 1057 1110 913: baseline, from 1005 (985 to 1022) challenger; from_value");
}

TEST(BreakEven, AsksPastAPlateauAndAJump) {
  EXPECT_EQ(asked([](double value) { return value < 60   ? 0.5
                                            : value < 70 ? 0.0
                                                         : -0.5; },
                  {.from = 8, .to = 512}, alternating(0.002)),
            "8 16 32 64 128 256 512 2*64 32 128 62 63 65 66 62 63 65 66 62 63 65 66 "
            "62 63 64 65 66 62 63 64 65 66 62 63 64 65 66 62 63 64 65 66 62 63 "
            "64 65 66 62 63 64 65 66 62 63 64 65 66 62 63 64 65 66 62 63 64 65 "
            "66 2*92 2*78 2*72 3*69 2*70 2*45 2*53 2*57 2*59 3*60: baseline, at 70 (60 to 70) challenger; "
            "from_value")
      << "both ends of the plateau are found";
  EXPECT_EQ(asked([](double value) { return value < 60   ? 0.5
                                            : value < 70 ? 0.0
                                                         : 0.5; },
                  {.from = 8, .to = 512}, alternating(0.002)),
            "8 16 32 64 128 256 512 2*64 32 128 2*45 2*54 2*59 3*61 2*91 2*76 2*70 "
            "3*67 3*68: baseline, at 61 (60 to 61) neither: neither, at 70 (69 to 70) baseline; until_value");
  EXPECT_EQ(
      asked([](double value) { return value > 100 ? -0.3 : 0.3 + 0.001 * value; }, {.from = 64, .to = 128},
            alternating(0.005)),
      "64 128 64 128 2*94 2*112 101 102 104 105 107 101 102 104 105 107 101 102 104 "
      "105 107 101 102 104 105 107 101 102 104 105 107 101 102 104 105 107 101 102 "
      "104 105 107 101 102 104 105 107 101 102 104 105 107 101 102 104 105 107 101 "
      "102 104 105 107 101 102 104 105 107 2*97 2*99: baseline, at 101 (100 to 101) challenger; from_value");
  EXPECT_EQ(
      asked([](double value) { return 0.5 * std::sin(std::log(value / 50)); },
            {.from = 20, .to = 5000, .multiple = 10}, alternating(0.005)),
      "20 40 80 160 320 640 1280 2560 5000 40 1280 40 2*1280 80 640 4*50 "
      "3*60 40 60 4*1080 1120 1140 1160 1180 1190 1120 1140 1160 1180 1190 1120 1140: "
      "challenger, from 60 (50 to 60) baseline: baseline, from 1160 (1160 to 1170) challenger; from_value");
}

TEST(BreakEven, AsksUntilTheSidesAreShownToBeEqual) {
  EXPECT_EQ(asked([](double) { return 0.0; }, {.from = 3, .to = 20, .factor = 1.5}, alternating(0.01)),
            "3 5 7 10 15 20 3 5 7 10 15 20 3 5 7 10 15 20 3 5 7 10 15 20; neither");
  EXPECT_EQ(asked([](double value) { return 0.05 * std::log(value / 100); }, {.from = 40, .to = 300},
                  alternating(0.02)),
            "40 80 160 300 40 80 160 300 40 80 160 300 40 80 160 300 8*112 97 104 120 "
            "129 97 104 120 129 97 104 120 129 97 104 120 129 97 104 120 129 97 104 120 "
            "129 97 104 120 129 97 104 120 129 97 104 112 120 129 97 104 112 120 129 97 "
            "104 112 120 129 97 104 112 120 129 28*144 28*136 19*98: challenger, at 144 (81 to 144) "
            "baseline; until_value")
      << "between the leads, many launches leave it open at some values: both their ends are found";
}

TEST(BreakEven, EndsWhereNothingCanBeMeasured) {
  const Curve curve = offset_challenger(300, 0.1, 1);
  BreakEvenSearch search({.from = 16, .to = 1 << 20});
  while (const auto value = search.next()) {
    if (*value > 3000) {
      search.cannot(*value);  // out of memory
    } else {
      search.add(*value, curve(static_cast<double>(*value)));
    }
  }
  const BreakEven found = search.answer();
  EXPECT_EQ(found.answer, BreakEven::Answer::from_value);
  EXPECT_EQ(found.last, 2048);
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_NEAR(found.changes[0].crossing, 300, 3);

  BreakEvenSearch nowhere({.from = 16, .to = 64});
  while (const auto value = nowhere.next()) nowhere.cannot(*value);
  EXPECT_EQ(nowhere.answer().answer, BreakEven::Answer::unclear);
  EXPECT_FALSE(nowhere.answer().first);
}

/// A library may have no kernel for sizes that are not a power of two, or a program crashes at one value.
TEST(BreakEven, EndsWhereValuesAroundTheCrossingCannotBeMeasured) {
  for (const std::int64_t broken : {0, 300, 297, 303, 256}) {
    BreakEvenSearch search({.from = 16, .to = 4096});
    const Curve curve = offset_challenger(300, 0.1, 1);
    int asked = 0;
    while (const auto value = search.next()) {
      ASSERT_LT(++asked, 500) << "it does not end, broken at " << broken;
      const bool is_refused = broken == 0 ? (*value & (*value - 1)) != 0 : *value == broken;
      is_refused ? search.cannot(*value) : search.add(*value, curve(static_cast<double>(*value)));
    }
    const BreakEven found = search.answer();
    EXPECT_EQ(found.answer, BreakEven::Answer::from_value) << broken;
    ASSERT_EQ(found.changes.size(), 1U) << broken;
    if (broken == 0) {
      EXPECT_EQ(found.changes[0].interval.low, 256) << "only powers of two can be measured";
      EXPECT_EQ(found.changes[0].interval.high, 512);
    } else {
      EXPECT_NEAR(found.changes[0].crossing, 300, 3) << broken;
    }
  }
}

/// A program may crash at a value that it had measured before, as where memory runs out by chance. The
/// bracket that ends there has no level any more.
TEST(BreakEven, EndsWhereAValueOfTheBracketCannotBeMeasuredAnyMore) {
  BreakEvenSearch search({.from = 16, .to = 4096});
  const Curve curve = offset_challenger(300, 0.1, 1);
  bool is_lost = false;
  int asked = 0;
  while (const auto value = search.next()) {
    ASSERT_LT(++asked, 500) << "it does not end";
    const bool is_in_bracket = (*value & (*value - 1)) != 0;
    if (is_in_bracket && !is_lost) {
      search.cannot(256);
      is_lost = true;
    }
    search.add(*value, curve(static_cast<double>(*value)));
  }
  ASSERT_TRUE(is_lost);
  const BreakEven found = search.answer();
  EXPECT_EQ(found.answer, BreakEven::Answer::from_value);
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_NEAR(found.changes[0].crossing, 300, 3);
}

/// Launches of another metric's search at the largest value may turn its lead after the changes are known.
TEST(BreakEven, FollowsLaunchesThatTurnALead) {
  BreakEvenSearch search({.from = 64, .to = 128});
  const Curve curve = offset_challenger(90, 0.3, 3);
  while (const auto value = search.next()) search.add(*value, curve(static_cast<double>(*value)));
  ASSERT_EQ(search.answer().answer, BreakEven::Answer::from_value);
  for (int launch = 0; launch < 20; ++launch) search.add(128, 0.5);
  const BreakEven found = search.answer();
  EXPECT_EQ(found.answer, BreakEven::Answer::until_value);
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[0].above, Lead::challenger) << "as the values around 90 show";
  EXPECT_LE(found.changes[0].earliest, 90);
  EXPECT_GE(found.changes[0].latest, 90);
  EXPECT_EQ(found.changes[1].above, Lead::baseline);
  EXPECT_TRUE(search.next()) << "where the second change is, is not known yet";
}

/// Launches at the end of a bracket that show it to be undecided take the change away.
TEST(BreakEven, ChangeWhoseLeadWasTakenBackGoes) {
  BreakEvenSearch search({.from = 16, .to = 128, .multiple = 16});
  const auto curve = [](double value) { return value < 100 ? 0.0 : -0.4; };
  Noise noise = alternating(0.01);
  while (const auto value = search.next()) {
    // The first launches at 64 look as if the baseline were ahead.
    const bool is_off = *value == 64;
    search.add(*value, is_off ? 0.04 + 0.1 * noise() : curve(static_cast<double>(*value)) + noise());
  }
  ASSERT_EQ(search.answer().changes.size(), 2U) << "neither, the baseline at 64, the challenger";
  for (int launch = 0; launch < 200; ++launch) search.add(64, noise());
  const BreakEven found = search.answer();
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].below, Lead::neither);
  EXPECT_EQ(found.changes[0].from, 112);
  EXPECT_EQ(found.stated_at(64), Lead::neither);
}

/// A value in a bracket at which the launches show neither side ahead, and lean to the one that the line does
/// not show, belongs to no side: as recorded on a Zen 4, where OpenBLAS leads at 32, oneDNN at 64, and 48 is
/// undecided.
TEST(BreakEven, IntervalReachesOverUndecidedValues) {
  const auto curve = [](double value) { return value < 40 ? 0.5 : value < 60 ? 0.01 : -0.6; };
  const BreakEven found = search_for(curve, {.from = 16, .to = 256, .multiple = 16}, alternating(0.3));
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].earliest, 48);
  EXPECT_EQ(found.changes[0].from, 64);
  EXPECT_EQ(found.stated_at(32), Lead::baseline);
  EXPECT_EQ(found.stated_at(48), std::nullopt);
  EXPECT_EQ(found.stated_at(64), Lead::challenger);
}

/// Beside neighbours the lead may be smaller or larger by half.
TEST(BreakEven, HoldsWhateverNeighboursDid) {
  const Curve curve = offset_challenger(300.5, 0.1, 1);
  const auto search_beside = [&](const std::function<double()>& bound) {
    BreakEvenSearch search({.from = 16, .to = 8192});
    Noise noise = alternating(0.01);
    while (const auto value = search.next()) {
      const double shown = curve(static_cast<double>(*value)) + noise();
      const double reach = bound();
      // The neighbour slowed the challenger by as much as it could.
      search.add(*value, {shown + 0.9 * reach - reach, shown + 0.9 * reach + reach});
    }
    return search.answer();
  };
  const BreakEven beside = search_beside([] { return 0.4; });
  ASSERT_EQ(beside.changes.size(), 1U);
  EXPECT_EQ(beside.answer, BreakEven::Answer::from_value);
  EXPECT_LT(beside.changes[0].interval.low, 300.5);
  EXPECT_GT(beside.changes[0].interval.high, 300.5);
  EXPECT_LT(beside.changes[0].interval.high, 4 * beside.changes[0].interval.low);
  EXPECT_LT(beside.launches, 150U);
  const BreakEven sometimes = search_beside([i = 0]() mutable { return i++ % 3 == 0 ? 0.4 : 0.0; });
  ASSERT_EQ(sometimes.changes.size(), 1U);
  EXPECT_NEAR(sometimes.changes[0].crossing, 300.5, 5) << "undisturbed launches count alone";
  EXPECT_LT(sometimes.changes[0].interval.high, 1.05 * sometimes.changes[0].interval.low);
}

TEST(BreakEven, StatesALeadOutsideOfIntervals) {
  BreakEven found;
  EXPECT_EQ(found.stated_at(1), std::nullopt) << "not answered";
  found.conclude(Lead::challenger);
  EXPECT_EQ(found.stated_at(1), Lead::challenger);
  found.conclude(Lead::baseline);
  EXPECT_EQ(found.stated_at(1), Lead::baseline);
  found.conclude(Lead::neither);
  EXPECT_EQ(found.stated_at(1), Lead::neither);
  found.changes = {{.below = Lead::neither,
                    .above = Lead::baseline,
                    .interval = {},
                    .from = 10,
                    .earliest = 8,
                    .latest = 12},
                   {.below = Lead::baseline,
                    .above = Lead::challenger,
                    .interval = {},
                    .from = 30,
                    .earliest = 30,
                    .latest = 30}};
  found.conclude(Lead::challenger);
  EXPECT_EQ(found.stated_at(7), Lead::neither);
  EXPECT_EQ(found.stated_at(8), std::nullopt);
  EXPECT_EQ(found.stated_at(11), std::nullopt);
  EXPECT_EQ(found.stated_at(12), Lead::baseline);
  EXPECT_EQ(found.stated_at(29), Lead::baseline);
  EXPECT_EQ(found.stated_at(30), Lead::challenger);
}

/// The measured values at which an answer states another lead than all launches there show. A line shows a
/// lead also where the launches at one value do not. It must not contradict their mean.
std::vector<std::int64_t> contradicted(const BreakEven& found,
                                       const std::map<std::int64_t, std::vector<LaunchEffect>>& launches) {
  std::vector<std::int64_t> values;
  for (const auto& [value, ratios] : launches) {
    const auto stated = found.stated_at(value);
    const auto shown = lead_of_launches(ratios);
    if (!stated || !shown || *stated == *shown) continue;
    const auto is_around = [at = value](const LeadChange& change) {
      return !change.by_bisection && change.last_below <= at && at <= change.first_above;
    };
    const Lead leaning = level_of_launches(ratios) < 0 ? Lead::challenger : Lead::baseline;
    const bool by_line =
        *shown == Lead::neither && leaning == *stated && std::ranges::any_of(found.changes, is_around);
    if (!by_line) values.push_back(value);
  }
  return values;
}

/// Runs a search whose machine also measures other values, as for another metric, and compares the answer
/// with the launches after every one of them: time may run out at any.
void expect_no_contradiction(const Curve& curve, const BreakEvenRules& rules, double noise, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> off(0, noise);
  std::uniform_int_distribution<std::int64_t> anywhere(rules.from / rules.multiple,
                                                       rules.to / rules.multiple);
  std::bernoulli_distribution for_another(seed % 2 == 0 ? 0 : 0.2);
  BreakEvenSearch search(rules);
  std::map<std::int64_t, std::vector<LaunchEffect>> launches;
  const auto measure = [&](std::int64_t value) {
    launches[value].push_back(curve(static_cast<double>(value)) + off(generator));
    search.add(value, launches[value].back());
    EXPECT_THAT(contradicted(search.answer(), launches), testing::IsEmpty())
        << "seed " << seed << ", noise " << noise << ", after a launch at " << value;
  };
  for (int launch = 0; launch < 3000; ++launch) {
    const auto value = search.next();
    if (!value) return;
    measure(*value);
    if (for_another(generator)) measure(std::max(rules.from, anywhere(generator) * rules.multiple));
    if (testing::Test::HasFailure()) return;
  }
  FAIL() << "the search does not end: seed " << seed << ", noise " << noise;
}

/// Whatever the sides' times are like, no answer contradicts what was measured.
TEST(SlowBreakEven, StatesNoLeadThatItsLaunchesDoNotShow) {
  const std::vector<Curve> curves{
      offset_challenger(300, 0.3, 3),
      offset_challenger(300, 0.8, 1),
      step(97, 0, -0.2),
      step(97, 0.1, 0),
      [](double value) { return value < 64    ? 0.0
                                : value < 100 ? 0.03
                                              : -0.3; },  // threads cost, then help
      [](double value) { return value < 60   ? 0.5
                                : value < 75 ? 0.0
                                             : -0.5; },     // a plateau
      [](double value) { return std::log(300 / value) + 0.1 * std::sin(value); },  // sizes that suit blocks
      [](double) { return 0.01; }};
  for (const Curve& curve : curves) {
    for (const double noise : {0.005, 0.03, 0.15}) {
      for (const std::int64_t multiple : {1, 16}) {
        for (unsigned seed = 0; seed < 4; ++seed)
          expect_no_contradiction(curve, {.from = 16, .to = 1024, .multiple = multiple}, noise, seed);
      }
    }
  }
}

TEST(BreakEven, OfOneValueIsWhoIsAhead) {
  BreakEvenSearch search({.from = 64, .to = 64});
  while (const auto value = search.next()) search.add(*value, -0.5);
  EXPECT_EQ(search.answer().answer, BreakEven::Answer::always);
}

struct Known {
  const char* name;
  Curve curve;
  double crossing;
  BreakEvenRules rules;
};

/// A jump is between the last value at which neither side is ahead and the first at which one is.
TEST(SlowBreakEven, BracketsHoldAJump) {
  constexpr int trials = 500;
  int holding = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const BreakEven found =
        search_for(step(97, 0, -0.2), {.from = 8, .to = 2048}, 0.015, static_cast<std::uint64_t>(trial));
    if (found.answer != BreakEven::Answer::from_value || found.changes.empty()) continue;
    const LeadChange& change = found.changes.back();
    holding += change.earliest <= 97 && 97 <= change.latest &&
                       static_cast<double>(change.latest) <= 1.05 * static_cast<double>(change.earliest)
                   ? 1
                   : 0;
  }
  EXPECT_GE(holding, 0.93 * trials);
}

/// Processes of both sides have one of two memory layouts each. Three or four launches at one value may all
/// have the same two, and look like a lead.
TEST(SlowBreakEven, EqualSidesOfTwoLayoutsHaveNoLead) {
  for (const double apart : {0.02, 0.05, 0.15}) {
    constexpr int trials = 400;
    int with_lead = 0;
    double launches = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::mt19937_64 generator(static_cast<std::uint64_t>(trial));
      std::normal_distribution<double> off(0, 0.003);
      std::bernoulli_distribution layout;
      const auto side = [&] { return (layout(generator) ? apart : 0) + off(generator); };
      const BreakEven found =
          search_for([](double) { return 0.0; }, {.from = 16, .to = 8192}, [&] { return side() - side(); });
      const auto is_lead = [&](std::int64_t value) {
        return found.stated_at(value).value_or(Lead::neither) != Lead::neither;
      };
      with_lead += is_lead(16) || is_lead(8192) || !found.changes.empty() ? 1 : 0;
      launches += static_cast<double>(found.launches) / trials;
    }
    std::cout << apart << ": " << with_lead << " of " << trials << " searches state a lead, " << launches
              << " launches\n";
    EXPECT_LE(with_lead, 0.05 * trials) << apart;
  }
}

class SlowBreakEvenCovers : public testing::TestWithParam<std::tuple<Known, double>> {};

/// The interval contains the true value in 93 to 97 % of 500 trials, with a tenth of the launches of a scan
/// by twenty steps per power of two, with one launch each.
TEST_P(SlowBreakEvenCovers, TheTruth) {
  const auto& [known, noise] = GetParam();
  constexpr int trials = 500;
  int covering = 0;
  double launches = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const BreakEven found = search_for(known.curve, known.rules, noise, static_cast<std::uint64_t>(trial));
    ASSERT_EQ(found.answer, BreakEven::Answer::from_value);
    ASSERT_EQ(found.changes.size(), 1U);
    launches += static_cast<double>(found.launches) / trials;
    const Interval& interval = found.changes[0].interval;
    covering += interval.low <= known.crossing && known.crossing <= interval.high ? 1 : 0;
    EXPECT_LT(interval.high / interval.low, 1.15);
  }
  EXPECT_GE(covering, 0.92 * trials);
  EXPECT_LE(launches, 40);
}

/// Recorded launches in which nothing differed, by case: tests/recorded/README.md.
std::vector<std::vector<double>> recorded_noise() {
  std::ifstream file(BREAKEVEN_SOURCE_DIR "/tests/recorded/launch-noise.json");
  const auto json = nlohmann::json::parse(file);
  std::vector<std::vector<double>> all;
  for (const auto& [name, launches] : json.at("launches").items())
    all.push_back(launches.get<std::vector<double>>());
  return all;
}

class SlowBreakEvenInRecordedNoise : public testing::TestWithParam<Known> {};

/// Each trial has the noise of one case, with a random sign, because the sides could have been exchanged. The
/// cases vary by 0.4 to 8 %.
TEST_P(SlowBreakEvenInRecordedNoise, CoversTheTruth) {
  const Known& known = GetParam();
  const auto recorded = recorded_noise();
  ASSERT_EQ(recorded.size(), 50U);
  constexpr std::size_t trials = 500;
  std::size_t covering = 0;
  std::size_t narrow = 0;
  double launches = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::mt19937_64 generator(trial);
    const std::vector<double>& of_case = recorded[trial % recorded.size()];
    std::uniform_int_distribution<std::size_t> which(0, of_case.size() - 1);
    std::bernoulli_distribution exchanged;
    const BreakEven found = search_for(known.curve, known.rules, [&] {
      const double off = of_case[which(generator)];
      return exchanged(generator) ? -off : off;
    });
    launches += static_cast<double>(found.launches) / trials;
    if (found.changes.empty()) continue;
    const Interval& interval = found.changes.back().interval;
    covering += interval.low <= known.crossing && known.crossing <= interval.high ? 1 : 0;
    narrow += interval.high / interval.low <= 1.04 ? 1 : 0;
  }
  RecordProperty("covering", std::to_string(covering));
  RecordProperty("narrow", std::to_string(narrow));
  RecordProperty("launches", std::to_string(launches));
  std::cout << known.name << ": " << covering << " of " << trials << " intervals have it, " << narrow
            << " are no wider than 4 %, " << launches << " launches\n";
  EXPECT_GE(covering, 92 * trials / 100);
  EXPECT_GE(narrow, 90 * trials / 100);
  EXPECT_LE(launches, 45);
}

INSTANTIATE_TEST_SUITE_P(
    SlowRecorded, SlowBreakEvenInRecordedNoise,
    testing::Values(
        Known{"steep", offset_challenger(777.3, 0.3, 3), 777.3, {.from = 16, .to = 8192}},
        Known{"batch", offset_challenger(37.4, 0.1, 1), 37.4, {.from = 1, .to = 1024}},
        Known{"eights", offset_challenger(500.9, 0.2, 3), 500.9, {.from = 16, .to = 8192, .multiple = 8}}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    SlowKnown, SlowBreakEvenCovers,
    testing::Combine(
        testing::Values(
            Known{"steep", offset_challenger(777.3, 0.3, 3), 777.3, {.from = 16, .to = 8192}},
            Known{"twice", offset_challenger(777.3, 0.5, 3), 777.3, {.from = 16, .to = 8192}},
            Known{"batch", offset_challenger(37.4, 0.1, 1), 37.4, {.from = 1, .to = 1024}},
            Known{
                "eights", offset_challenger(500.9, 0.2, 3), 500.9, {.from = 16, .to = 8192, .multiple = 8}}),
        testing::Values(0.005, 0.015)),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param).name) +
             (std::get<1>(tested.param) < 0.01 ? "_quiet" : "_usual");
    });

}  // namespace
}  // namespace breakeven
