#include "statistics/race.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>

namespace breakeven {
namespace {

RacedTimes raced(std::vector<double> rounds) {
  return {.rounds = std::move(rounds)};
}
RacedTimes always(double seconds) {
  return raced(std::vector<double>(8, seconds));
}
std::size_t fastest(const std::vector<RacedTimes>& all) {
  return fastest_of(all);
}

TEST(Race, OthersMustBeFasterInNearlyEveryRoundAndByTheMarginInTheMedian) {
  EXPECT_EQ(fastest({always(100), always(97)}), 1U);
  EXPECT_EQ(fastest({always(100), always(99)}), 0U);
  EXPECT_EQ(fastest({always(100), always(200)}), 0U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 90, 90})}), 1U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 99, 99})}), 1U);
  EXPECT_EQ(fastest({always(100), raced({90, 90, 90, 90, 90, 90, 101, 101})}), 0U);
}

TEST(Race, AmongEquallyFastOnesTheFirstIsTaken) {
  EXPECT_EQ(fastest({always(100), raced({20, 21, 20, 21, 20, 21, 20, 21}), always(20)}), 1U);
  EXPECT_EQ(fastest({always(100), always(20), always(19.8)}), 2U);
}

TEST(Race, ThoseThatDiedAreOut) {
  const RacedTimes dead = raced({});
  EXPECT_EQ(fastest({always(100), dead}), 0U);
  EXPECT_EQ(fastest({dead, always(1)}), 0U) << "with nothing to compare with";
}

TEST(Race, ThoseFarBehindLoseToAnyThatWereTimed) {
  const RacedTimes slow{.far_behind = true};
  EXPECT_EQ(fastest({slow, slow, always(1)}), 2U);
  EXPECT_EQ(fastest({always(1), slow}), 0U);
  EXPECT_EQ(fastest({slow, raced({})}), 0U);
}

TEST(Race, IsUndecidedWhereOthersOnlySeemFaster) {
  const auto undecided = [](const std::vector<RacedTimes>& all) { return is_undecided(all); };
  EXPECT_TRUE(undecided({always(100), raced({90, 90, 90, 90, 90, 90, 110, 110})}));
  EXPECT_FALSE(undecided({always(100), always(90)})) << "clearly faster";
  EXPECT_FALSE(undecided({always(100), always(99)}));
  EXPECT_FALSE(undecided({always(100), raced({}), RacedTimes{.far_behind = true}}));
}

TEST(Race, FewRoundsDecideNothing) {
  EXPECT_EQ(fastest({raced({100, 100, 100, 100, 100}), raced({50, 50, 50, 50, 50})}), 0U);
}

/// A race on a machine with other work: every round is slower by a random amount, some of them much.
class RaceWithNoise {
 public:
  explicit RaceWithNoise(std::uint64_t seed) : generator_(seed) {}
  RacedTimes run(double seconds) {
    std::vector<double> rounds;
    for (int i = 0; i < 28; ++i)
      rounds.push_back(seconds * (1 + 0.03 * usual_(generator_)) * (is_hit_(generator_) ? 1.5 : 1));
    return raced(rounds);
  }

 private:
  std::mt19937_64 generator_;
  std::exponential_distribution<double> usual_;
  std::bernoulli_distribution is_hit_{0.15};
};

TEST(Race, NoiseSeldomChoosesAndSeldomHidesFivePerCent) {
  constexpr int races = 1000;
  int changed = 0, found = 0, found_small = 0;
  for (int seed = 0; seed < races; ++seed) {
    RaceWithNoise race(static_cast<std::uint64_t>(seed));
    const RacedTimes own = race.run(1);
    changed += fastest({own, race.run(1), race.run(1), race.run(1), race.run(1)}) != 0 ? 1 : 0;
    found += fastest({own, race.run(0.8)}) == 1 ? 1 : 0;
    found_small += fastest({own, race.run(0.95)}) == 1 ? 1 : 0;
  }
  RecordProperty("changed", changed);
  RecordProperty("found_small", found_small);
  EXPECT_LT(changed, races / 20) << "among ways that are equally fast";
  EXPECT_GT(found, races * 49 / 50);
  EXPECT_GT(found_small, races * 9 / 10);
}

/// The times are training steps in µs, while a neighbour took 6 of every 10 ms of a core.
TEST(Race, OneByOneFindsWhatASingleUndisturbedTimeWouldHide) {
  const RacedTimes all{.rounds = {2794.5, 2763.7, 750.3, 1727.0, 2750.7, 1782.0}};
  const RacedTimes fewer{.rounds = {951.4, 961.0, 958.0, 944.9, 964.4, 963.7}};
  EXPECT_EQ(fastest_of(std::vector{all, fewer}), 0U);
  EXPECT_EQ(fastest_one_by_one(std::vector{all, fewer}), 1U);
  EXPECT_EQ(fastest_one_by_one(std::vector{all, {}, fewer}), 2U);
  EXPECT_EQ(fastest_one_by_one(std::vector{fewer, all}), 0U);
  const RacedTimes disturbed{.rounds = {959.2, 3908.2, 953.6, 924.8, 938.3, 898.7}};
  EXPECT_EQ(
      fastest_one_by_one(std::vector{{.rounds = {2696.7, 736.0, 2757.6, 1519.5, 1513.3, 1499.2}}, disturbed}),
      0U);
  EXPECT_EQ(fastest_one_by_one(std::vector{fewer, {.rounds = {945, 955, 953, 940, 959, 958}}}), 0U)
      << "by under 2 %";
  EXPECT_EQ(
      fastest_one_by_one(std::vector<RacedTimes>{{.rounds = {90}, .far_behind = true}, {.rounds = {40}}}),
      1U);
}

/// Three other numbers of threads that are as fast, each timed six times.
TEST(Race, OneByOneSeldomChoosesAmongEquals) {
  std::mt19937_64 generator(1);
  constexpr int races = 1000;
  int chosen = 0;
  for (int i = 0; i < races; ++i) {
    std::vector<RacedTimes> raced(4);
    std::lognormal_distribution<double> time(0, 0.05);
    for (RacedTimes& one : raced) {
      for (int round = 0; round < 6; ++round) one.rounds.push_back(time(generator));
    }
    chosen += fastest_one_by_one(raced) == 0 ? 0 : 1;
  }
  EXPECT_LT(chosen, 0.05 * races);
}

TEST(Race, FewTimesArePromisingIfTheirMedianIsShorterByEnough) {
  const RacedTimes usual{.rounds = {1.0, 1.1, 1.2}};
  EXPECT_TRUE(is_promising({.rounds = {1.0, 1.0, 2.0}}, usual));
  EXPECT_FALSE(is_promising({.rounds = {1.09, 1.09, 1.09}}, usual));
  EXPECT_FALSE(is_promising({}, usual));
}

}  // namespace
}  // namespace breakeven
