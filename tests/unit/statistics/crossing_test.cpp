#include "statistics/crossing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace breakeven {
namespace {

std::vector<ValuesAt> on_a_line(double zero, double slope, const std::vector<double>& at, std::size_t each,
                                double noise, std::mt19937_64& generator) {
  std::normal_distribution<double> off(0, noise);
  std::vector<ValuesAt> places;
  for (const double place : at) {
    ValuesAt& made = places.emplace_back(ValuesAt{.at = place, .values = {}});
    for (std::size_t i = 0; i < each; ++i) made.values.push_back(slope * (place - zero) + off(generator));
  }
  return places;
}

TEST(Crossing, OfAnExactLineIsItsZero) {
  const std::vector<ValuesAt> places{
      {.at = 1, .values = {-2}}, {.at = 2, .values = {0}}, {.at = 4, .values = {4}}};
  const auto found = crossing_of(places, 0.95);
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->at, 2);
  EXPECT_DOUBLE_EQ(found->slope, 2);
  EXPECT_NEAR(found->interval->low, 2, 1e-9);
  EXPECT_NEAR(found->interval->high, 2, 1e-9);
}

/// Expected values from the definition: all x at which the line's value is within t standard errors of zero.
TEST(Crossing, HasFiellersInterval) {
  const std::vector<ValuesAt> places{
      {.at = -1, .values = {-1.2, -0.9}}, {.at = 0, .values = {0.3, -0.1}}, {.at = 1, .values = {0.8, 1.3}}};
  const auto found = crossing_of(places, 0.95);
  ASSERT_TRUE(found && found->interval);
  constexpr double t = 2.7764451051977987;  // 4 degrees of freedom
  constexpr double level = 0.2 / 6;
  constexpr double slope = 4.2 / 4;
  double squares = 0;
  for (const ValuesAt& place : places) {
    for (const double value : place.values) {
      const double off = value - level - slope * place.at;
      squares += off * off;
    }
  }
  for (const double edge : {found->interval->low, found->interval->high}) {
    const double variance = squares / 4 * (1.0 / 6 + edge * edge / 4);
    EXPECT_NEAR(std::abs(level + slope * edge), t * std::sqrt(variance), 1e-9);
  }
  EXPECT_LT(found->interval->low, found->at);
  EXPECT_GT(found->interval->high, found->at);
}

/// Two places are always on a line, so no deviation from it can be estimated.
TEST(Crossing, OfTwoPlacesIsByTheirValues) {
  const auto found = crossing_of(
      std::vector<ValuesAt>{{.at = 0, .values = {-1.1, -0.9}}, {.at = 1, .values = {0.9, 1.1}}}, 0.95);
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->at, 0.5);
  // There are 2 degrees of freedom: t = 4.30265, the variance 0.04 / 2, and the squares of the places 4 / 4.
  const double a = 4 - 4.30265 * 4.30265 * 0.02;
  const double reach = std::sqrt(4.30265 * 4.30265 * 0.02 / 4 / a);
  EXPECT_NEAR(found->interval->low, 0.5 - reach, 1e-5);
  EXPECT_NEAR(found->interval->high, 0.5 + reach, 1e-5);
}

TEST(Crossing, OfALevelLineCouldBeAnywhere) {
  std::mt19937_64 generator(1);
  const auto found = crossing_of(on_a_line(0, 0.001, {-1, 0, 1}, 5, 1, generator), 0.95);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->interval);
}

TEST(Crossing, NeedsTwoPlacesAndThreeValues) {
  EXPECT_FALSE(
      crossing_of(std::vector<ValuesAt>{{.at = 1, .values = {1, 1}}, {.at = 2, .values = {1, 1}}}, 0.95));
  EXPECT_FALSE(crossing_of({}, 0.95));
  EXPECT_FALSE(crossing_of(std::vector<ValuesAt>{{.at = 1, .values = {1, 2, 3}}}, 0.95));
  EXPECT_FALSE(crossing_of(std::vector<ValuesAt>{{.at = 1, .values = {1}}, {.at = 2, .values = {2}}}, 0.95));
}

TEST(Crossing, CoversTheTruthAsOftenAsItSays) {
  std::mt19937_64 generator(2);
  int covering = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    const auto found = crossing_of(on_a_line(0.3, 1.5, {-0.5, 0, 0.5, 1}, 4, 0.4, generator), 0.95);
    if (!found->interval) continue;
    covering += found->interval->low <= 0.3 && 0.3 <= found->interval->high ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(covering) / trials, 0.95, 0.015);
}

/// Sizes that suit a library better or worse shift all launches there alike: more launches do not help.
TEST(Crossing, PlacesThatDepartFromTheLineAreWhatVaries) {
  std::mt19937_64 generator(3);
  auto places = on_a_line(0, 1, {-0.2, -0.1, 0, 0.1, 0.2}, 20, 0.001, generator);
  const auto straight = crossing_of(places, 0.95);
  const std::vector<double> suits{0.02, -0.03, 0.01, 0.03, -0.02};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (double& value : places[i].values) value += suits[i];
  }
  const auto jagged = crossing_of(places, 0.95);
  ASSERT_TRUE(straight && straight->interval && jagged && jagged->interval);
  EXPECT_LT(straight->interval->high - straight->interval->low, 0.001);
  EXPECT_GT(jagged->interval->high - jagged->interval->low, 0.05);
}

}  // namespace
}  // namespace breakeven
