// Change points of simulated series. The generators are seeded: what passes once passes always.
#include "statistics/change_points.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace breakeven::change_points_test {
namespace {

using Generator = std::mt19937_64;

/// Uniform in (0, 1), and the same with every standard library.
double uniform(Generator& generator) {
  return (static_cast<double>(generator() >> 11U) + 0.5) * 0x1p-53;
}
/// Box and Muller.
double normal(Generator& generator) {
  const double radius = std::sqrt(-2 * std::log(uniform(generator)));
  return radius * std::cos(2 * 3.14159265358979 * uniform(generator));
}

struct Noise {
  const char* name;
  double (*draw)(Generator&);  // a time around 1
};
const Noise gaussian{"gaussian", [](Generator& g) { return std::exp(0.02 * normal(g)); }};
/// A run in ten is disturbed, by up to a half.
const Noise outliers{"outliers", [](Generator& g) {
                       const double disturbed = uniform(g) < 0.1 ? 1 + 0.5 * uniform(g) : 1;
                       return disturbed * std::exp(0.01 * normal(g));
                     }};
/// A distribution without a mean or a variance.
const Noise cauchy{"cauchy",
                   [](Generator& g) { return std::exp(0.01 * std::tan(3.14159265 * (uniform(g) - 0.5))); }};
/// Two speeds, as of a memory layout that is drawn at the start.
const Noise two_speeds{
    "two_speeds", [](Generator& g) { return (uniform(g) < 0.3 ? 1.08 : 1) * std::exp(0.003 * normal(g)); }};
/// Few different values, as of a coarse clock.
const Noise coarse{"coarse", [](Generator& g) { return 1 + 0.05 * std::floor(4 * uniform(g)); }};

std::vector<double> series(const Noise& noise, std::size_t count, Generator& generator) {
  std::vector<double> values(count);
  for (double& value : values) value = noise.draw(generator);
  return values;
}
void scale_from(std::vector<double>& values, std::size_t position, double factor) {
  for (std::size_t i = position; i < values.size(); ++i) values[i] *= factor;
}

/// The exact number of arrangements of few + many values with at most u pairs in the wrong order, over all of
/// them: the recursion of Mann and Whitney (1947).
double exact_tail(std::size_t few, std::size_t many, std::size_t u) {
  const std::size_t pairs = few * many;
  std::vector<std::vector<double>> counts(few + 1, std::vector<double>(pairs + 1));  // by u, `many` growing
  for (auto& count : counts) count[0] = 1;
  for (std::size_t n = 1; n <= many; ++n) {
    for (std::size_t m = 1; m <= few; ++m) {
      std::vector<double> next(pairs + 1);
      for (std::size_t v = 0; v <= m * n; ++v) next[v] = (v >= n ? counts[m - 1][v - n] : 0) + counts[m][v];
      counts[m] = next;
    }
  }
  double within = 0;
  double all = 0;
  for (std::size_t v = 0; v <= pairs; ++v) {
    all += counts[few][v];
    if (v <= u) within += counts[few][v];
  }
  return within / all;
}

TEST(RankTail, IsNeverBelowTheExactOneWhereItDecides) {
  struct Sizes {
    std::size_t few, many;
  };
  for (const auto& [few, many] :
       {Sizes{3, 3}, Sizes{3, 30}, Sizes{4, 60}, Sizes{5, 9}, Sizes{8, 40}, Sizes{12, 12}, Sizes{12, 50},
        Sizes{13, 13}, Sizes{20, 30}, Sizes{26, 26}, Sizes{26, 40}}) {
    for (std::size_t u = 0; u <= few * many / 2; ++u) {
      const double exact = exact_tail(few, many, u);
      if (exact > 0.001) break;
      const double bound = std::exp(log_rank_tail(few, many, static_cast<double>(u)));
      EXPECT_GE(bound, exact * (1 - 1e-9)) << few << " " << many << " " << u;
      if (few <= 25 && u <= many) {
        EXPECT_NEAR(bound / exact, 1, 1e-9) << few << " " << many << " " << u;
      }
    }
  }
}

TEST(RankTail, ReachesWhereDoublesDoNot) {
  EXPECT_LT(log_rank_tail(5000, 5000, 0), -1000);
  EXPECT_LT(log_rank_tail(5000, 5000, 0), log_rank_tail(5000, 5000, 1e6));
}

/// Expected values: counts of partitions in whole numbers (Python), and scipy.stats.norm.logsf beyond the
/// table.
TEST(RankTail, IsExactToTheEndOfItsTableAndNormalBeyond) {
  EXPECT_NEAR(log_rank_tail(3, 10, 4), -3.25809653802148, 1e-12);
  EXPECT_NEAR(log_rank_tail(24, 25, 24), -22.8765877203368, 1e-10);
  EXPECT_NEAR(log_rank_tail(25, 2047, 2047), -56.2746277017614, 1e-9);
  EXPECT_NEAR(log_rank_tail(25, 3000, 2047), -65.7804662082394, 1e-9);
  EXPECT_NEAR(log_rank_tail(25, 3000, 2048), -36.2586484726235, 1e-9);
  EXPECT_NEAR(log_rank_tail(26, 3000, 5), -41.7464472208789, 1e-9);
  EXPECT_NEAR(log_rank_tail(30, 40, 200), -13.7550567533874, 1e-9);
  EXPECT_NEAR(log_rank_tail(30, 40, 350), -6.48045760855652, 1e-9);
  EXPECT_NEAR(log_rank_tail(5000, 5000, 0), -3755.00508847397, 1e-3) << "where erfc() is 0";
}

class ChangePointsOfNoise : public testing::TestWithParam<Noise> {};

/// The error rate is kept whatever the noise: 0.05 of 4000 series would be 200, and four standard deviations
/// more 255.
TEST_P(ChangePointsOfNoise, AreAsRareAsTheLevelSays) {
  Generator generator(1);
  for (const std::size_t count : {20U, 100U}) {
    int alarms = 0;
    for (int i = 0; i < 4000; ++i) {
      const auto values = series(GetParam(), count, generator);
      if (!change_points(values, 0, 0.05).empty()) ++alarms;
    }
    EXPECT_LE(alarms, 255) << count << " values";
  }
}

/// A whole suite of 500 series at once: 1 % over all of them.
TEST_P(ChangePointsOfNoise, AreRareOverAWholeSuite) {
  Generator generator(2);
  int alarms = 0;
  for (int suite = 0; suite < 40; ++suite) {
    bool alarm = false;
    for (int i = 0; i < 500; ++i)
      alarm = !change_points(series(GetParam(), 60, generator), 0, 0.01 / 500).empty() || alarm;
    if (alarm) ++alarms;
  }
  EXPECT_LE(alarms, 3) << "of 40 suites";
}

INSTANTIATE_TEST_SUITE_P(All, ChangePointsOfNoise,
                         testing::Values(gaussian, outliers, cauchy, two_speeds, coarse),
                         [](const auto& noise) { return std::string(noise.param.name); });

TEST(ChangePoints, FindAStepWhereItIs) {
  Generator generator(3);
  for (const Noise& noise : {gaussian, outliers}) {
    int found = 0;
    int near = 0;
    for (int i = 0; i < 200; ++i) {
      auto values = series(noise, 100, generator);
      scale_from(values, 70, 1.10);
      const auto changes = change_points(values, 0.03, 1e-4);
      if (changes.size() == 1) ++found;
      if (changes.size() == 1 && changes[0].position >= 68 && changes[0].position <= 72) ++near;
    }
    EXPECT_GE(found, 195) << noise.name;
    EXPECT_GE(near, 185) << noise.name;
  }
}

/// The newest values are what a check is run for.
TEST(ChangePoints, FindWhatHappenedAFewRunsAgo) {
  Generator generator(4);
  for (const auto& [count, newest] : std::vector<std::pair<std::size_t, std::size_t>>{{200, 4}, {40, 7}}) {
    int found = 0;
    for (int i = 0; i < 100; ++i) {
      auto values = series(gaussian, count, generator);
      scale_from(values, count - newest, 1.2);
      const auto changes = change_points(values, 0.03, 0.01 / 500);
      if (changes.size() == 1 && changes[0].position == count - newest && changes[0].ratio > 1.1) ++found;
    }
    EXPECT_GE(found, 98) << newest << " after " << count - newest;
  }
}

TEST(ChangePoints, FindSeveralBothWays) {
  Generator generator(5);
  auto values = series(gaussian, 200, generator);
  scale_from(values, 50, 1.2);
  scale_from(values, 120, 1 / 1.2);
  scale_from(values, 160, 0.8);
  const auto changes = change_points(values, 0.03, 1e-4);
  ASSERT_EQ(changes.size(), 3U);
  const std::vector<std::pair<std::size_t, double>> made{{50, 1.2}, {120, 1 / 1.2}, {160, 0.8}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(changes[i].position), static_cast<double>(made[i].first), 2);
    EXPECT_NEAR(changes[i].ratio, made[i].second, 0.02);
    EXPECT_LT(changes[i].p_value, 1e-4);
  }
}

TEST(ChangePoints, OfLessThanTheThresholdDoNotMatter) {
  Generator generator(6);
  auto values =
      series(Noise{"quiet", [](Generator& g) { return std::exp(0.001 * normal(g)); }}, 200, generator);
  scale_from(values, 100, 1.02);
  EXPECT_TRUE(change_points(values, 0.03, 1e-4).empty());
  EXPECT_EQ(change_points(values, 0.01, 1e-4).size(), 1U);
}

TEST(ChangePoints, AddUpWhereTheyCreep) {
  Generator generator(7);
  auto values =
      series(Noise{"quiet", [](Generator& g) { return std::exp(0.002 * normal(g)); }}, 200, generator);
  for (std::size_t step = 40; step < 200; step += 40) scale_from(values, step, 1.02);
  const auto changes = change_points(values, 0.03, 1e-4);
  ASSERT_FALSE(changes.empty());
  double total = 1;
  for (const auto& change : changes) total *= change.ratio;
  EXPECT_GT(total, 1.04);
}

/// 95 % of 400 are 380; the position is found from the same values, which costs a little.
TEST(ChangePoints, HaveIntervalsThatCoverTheTruth) {
  Generator generator(8);
  for (const Noise& noise : {gaussian, outliers}) {
    int covered = 0;
    int found = 0;
    for (int i = 0; i < 400; ++i) {
      auto values = series(noise, 80, generator);
      scale_from(values, 50, 1.15);
      for (const auto& change : change_points(values, 0.03, 1e-3)) {
        ++found;
        if (change.interval.low <= 1.15 && change.interval.high >= 1.15) ++covered;
      }
    }
    EXPECT_GE(found, 395) << noise.name;
    EXPECT_GE(covered, found * 92 / 100) << noise.name;
    EXPECT_LE(covered, found * 98 / 100) << noise.name;
  }
}

TEST(ChangePoints, OfAConstantSeriesAreNone) {
  EXPECT_TRUE(change_points(std::vector<double>(500, 1e-3), 0.03, 0.05).empty());
}

TEST(ChangePoints, OfExactStepsAreExact) {
  std::vector<double> values(60, 1e-3);
  scale_from(values, 33, 2);
  const auto changes = change_points(values, 0.03, 1e-4);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].position, 33U);
  EXPECT_EQ(changes[0].ratio, 2);
  EXPECT_EQ(changes[0].interval, (Interval{.low = 2, .high = 2}));
}

TEST(ChangePoints, OfFewValuesAreNoneAndThatIsKnown) {
  for (std::size_t count = 0; count < 40; ++count) {
    bool any = false;
    for (std::size_t position = 0; position < count; ++position) {
      std::vector<double> values(count, 1);
      scale_from(values, position, 3);
      any = any || !change_points(values, 0.03, 1e-4).empty();
    }
    EXPECT_EQ(any, least_p_value(count) <= 1e-4) << count;
  }
  EXPECT_EQ(least_p_value(0), 1);
  EXPECT_EQ(least_p_value(5), 1);
}

/// 2 * the distance to the nearer end * the sum of all weights / the number of arrangements, by hand.
TEST(ChangePoints, HaveTheLeastPValuesThatCountingGives) {
  EXPECT_NEAR(least_p_value(6), 2.0 * 3 * (1.0 / 3) / 20, 1e-12);
  EXPECT_NEAR(least_p_value(7), 2.0 * 3 * (2.0 / 3) / 35, 1e-12);
  EXPECT_NEAR(least_p_value(8), 2.0 * 3 * (2.0 / 3 + 1.0 / 4) / 56, 1e-12) << "at 3 of 8, not at 4";
  EXPECT_EQ(values_to_tell(10, 0.0399), 3U) << "2 * 3 * 1.9 / 286 = 0.03986";
  EXPECT_EQ(values_to_tell(10, 0.0398), 4U);
  EXPECT_EQ(values_to_tell(3, 0.101), 3U);
  EXPECT_EQ(values_to_tell(3, 0.099), 0U);
}

TEST(ChangePoints, HaveTheirPValue) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i < 10 ? 10 - i : 120 - i);
  const auto clear = change_points(values, 0.03, 0.01);
  ASSERT_EQ(clear.size(), 1U);
  EXPECT_EQ(clear[0].position, 10U);
  // 20 * (2 * (1/3 + 1/4 + ... + 1/9) + 1/10) / C(20, 10)
  EXPECT_NEAR(clear[0].p_value, 0.00029854906016, 1e-13);

  // Equal values are spread in an order that stays the same: what a history found once it finds again. The
  // expected value is from another implementation, in Python.
  values.clear();
  for (int i = 0; i < 40; ++i) values.push_back(100 + (7 * i * i + 3 * i) % 11 % 4 + (i >= 25 ? 40 : 0));
  values[5] = values[12] = 140;  // as some of the later ones
  const auto tied = change_points(values, 0, 0.01);
  ASSERT_EQ(tied.size(), 1U);
  EXPECT_EQ(tied[0].position, 25U);
  EXPECT_NEAR(tied[0].p_value, 1.2366768191098042e-08, 1e-17);
}

TEST(ChangePoints, MayBeCloseToEitherEnd) {
  for (const std::size_t position : {std::size_t{3}, std::size_t{57}}) {
    std::vector<double> values(60, 1e-3);
    scale_from(values, position, 1.5);
    const auto changes = change_points(values, 0.03, 0.05);
    ASSERT_EQ(changes.size(), 1U) << position;
    EXPECT_EQ(changes[0].position, position);
  }
}

/// The C-th smallest ratio and the C-th largest, C being the whole part of m n / 2 - 1.96 sqrt(m n (m + n +
/// 1) / 12): Hollander and Wolfe, section 4.3. Here 127 of 400.
TEST(ChangePoints, HaveHodgesAndLehmannsRatioAndItsInterval) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(std::exp(0.001 * (7 * i % 20)));
  for (int i = 0; i < 20; ++i) values.push_back(2 * std::exp(0.00073 * (11 * i % 20)));
  std::vector<double> ratios;
  for (std::size_t b = 0; b < 20; ++b) {
    for (std::size_t a = 20; a < 40; ++a) ratios.push_back(values[a] / values[b]);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto changes = change_points(values, 0.03, 0.01);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].position, 20U);
  EXPECT_DOUBLE_EQ(changes[0].interval.low, ratios[126]);
  EXPECT_DOUBLE_EQ(changes[0].interval.high, ratios[273]);
  EXPECT_DOUBLE_EQ(changes[0].ratio, std::sqrt(ratios[199] * ratios[200]));
}

TEST(ChangePoints, OfVeryFewValuesHaveTheWholeRangeForAnInterval) {
  const auto changes = change_points(std::vector<double>{1, 1.01, 1.02, 2.02, 2.04, 2}, 0.03, 0.11);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_DOUBLE_EQ(changes[0].interval.low, 2 / 1.02);
  EXPECT_DOUBLE_EQ(changes[0].interval.high, 2.04);
  EXPECT_DOUBLE_EQ(changes[0].ratio, 2.02 / 1.01) << "the middle one of nine";
}

/// A ratio is of the 200 values that are nearest on either side.
TEST(ChangePoints, AreMeasuredByTheirNeighbours) {
  std::vector<double> values(600, 1);
  scale_from(values, 100, 1.01);
  scale_from(values, 300, 1.5);
  scale_from(values, 500, 1.01);
  const auto changes = change_points(values, 0.03, 1e-4);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].position, 300U);
  EXPECT_DOUBLE_EQ(changes[0].ratio, 1.5);
  EXPECT_DOUBLE_EQ(changes[0].interval.low, 1.5);
  EXPECT_DOUBLE_EQ(changes[0].interval.high, 1.5);
}

/// A change is undone where the level moves by less than the threshold; what is left is measured again,
/// between the neighbours that it has then.
TEST(ChangePoints, AreMeasuredAgainWhereANeighbourIsUndone) {
  std::vector<double> values(120, 1);
  scale_from(values, 40, 1.02);
  scale_from(values, 80, 1.10);
  const auto changes = change_points(values, 0.05, 1e-4);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].position, 80U);
  EXPECT_DOUBLE_EQ(changes[0].interval.low, 1.10) << "the level before is 1.02 and, further back, 1";
  EXPECT_NEAR(changes[0].interval.high, 1.02 * 1.10, 1e-12);
}

TEST(ChangePoints, AreFoundOnceThereAreAsManyValuesAsSaid) {
  for (const std::size_t before : {15U, 30U, 200U, 900U}) {
    const std::size_t needed = values_to_tell(before, 2e-5);
    ASSERT_GT(needed, 0U) << before;
    std::vector<double> values(before + needed, 1);
    scale_from(values, before, 1.5);
    EXPECT_EQ(change_points(values, 0.03, 2e-5).size(), 1U) << before;
    values.pop_back();
    if (needed > least_segment) {
      EXPECT_TRUE(change_points(values, 0.03, 2e-5).empty()) << before;
    }
  }
  EXPECT_EQ(values_to_tell(5, 2e-5), 0U);
}

}  // namespace
}  // namespace breakeven::change_points_test
