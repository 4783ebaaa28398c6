#include "statistics/highest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "statistics/distributions.h"

namespace breakeven::highest_test {
namespace {

using Generator = std::mt19937_64;

struct NoiseKind {
  std::string name;
  std::function<double(Generator&)> draw;
};

double normal(Generator& generator) {
  return std::normal_distribution<double>()(generator);
}

std::vector<NoiseKind> noises() {
  return {{"normal", normal},
          {"t3", [](Generator& g) { return std::student_t_distribution<double>(3)(g); }},
          {"t5", [](Generator& g) { return std::student_t_distribution<double>(5)(g); }},
          {"exponential", [](Generator& g) { return std::exponential_distribution<double>(1)(g); }},
          {"rarely high",
           [](Generator& g) { return normal(g) + (std::bernoulli_distribution(0.1)(g) ? 3 : 0); }}};
}

double lowest(const Values& values) {
  return *std::ranges::min_element(values);
}

std::vector<Values> members(std::size_t count, std::size_t values, const NoiseKind& noise,
                            Generator& generator) {
  std::vector<Values> all(count);
  for (Values& one : all) {
    for (std::size_t i = 0; i < values; ++i) one.push_back(noise.draw(generator));
  }
  std::ranges::sort(all, std::ranges::greater(), lowest);
  return all;
}

double p_value_of(const std::vector<Values>& falling) {
  return least_likely(falling).p_value;
}

/// Each value alone, in falling order.
std::vector<Values> singly(const std::vector<double>& falling) {
  std::vector<Values> all;
  all.reserve(falling.size());
  for (const double value : falling) all.push_back({value});
  return all;
}

/// From one of 33 further values to one of 10,000.
TEST(SlowUsualValues, BoundHowOftenAFurtherOneIsAsHigh) {
  constexpr int trials = 20'000;
  for (const NoiseKind& noise : noises()) {
    for (const std::size_t count : {2, 3, 4, 7, 15, 40}) {
      Generator generator(count);
      std::vector<double> tails;
      for (int i = 0; i < trials; ++i) {
        std::vector<double> usual(count);
        for (double& value : usual) value = noise.draw(generator);
        tails.push_back(std::exp(UsualValues(usual).log_tail(noise.draw(generator))));
      }
      for (const double level : {0.03, 0.01, 0.001, 0.0001}) {
        const auto below =
            static_cast<double>(std::ranges::count_if(tails, [&](double tail) { return tail <= level; }));
        EXPECT_LE(below, trials * level + 4 * std::sqrt(trials * level) + 2) << noise.name << " " << count;
      }
    }
  }
}

TEST(UsualValues, AreExceededWhereTheTailSays) {
  const UsualValues usual({1, 2, 3, 4, 7});
  for (const double log_probability : {-2.0, -5.0, -20.0})
    EXPECT_NEAR(usual.log_tail(usual.exceeded(log_probability)), log_probability, 1e-9);
  EXPECT_EQ(usual.log_tail(3), 0) << "their median";
  EXPECT_TRUE(std::isinf(usual.exceeded(-1000)));
}

TEST(Highest, OfThreeIsTheTailOfOneTimesThree) {
  const std::vector<Values> values = singly({0.5, 0.02, -0.02});
  const double tail = student_t_tail(1, 0.5 / (0.04 * 2.7));
  EXPECT_NEAR(p_value_of(values), 3 * tail, 1e-12);
  EXPECT_EQ(p_value_of(singly({1, 0})), 1);
  EXPECT_EQ(p_value_of({}), 1);
}

TEST(Highest, IsNotHiddenByOthersAsHigh) {
  for (const std::size_t high : {1, 2, 3}) {
    std::vector<double> values(high, 7);
    for (const double usual : {0.01, 0.005, 0.0, -0.005, -0.01}) values.push_back(usual);
    EXPECT_LT(p_value_of(singly(values)), 1e-3) << high;
    EXPECT_EQ(least_likely(singly(values)).members, high);
  }
}

/// Half of them may as well be low.
TEST(Highest, OfTwoHalvesIsNotFound) {
  EXPECT_GT(p_value_of(singly({0.71, 0.7, 0.01, 0})), 0.1);
}

TEST(Highest, OfAlikeMembersIsSeldomFoundWhateverTheNoise) {
  constexpr int families = 300;
  for (const NoiseKind& noise : noises()) {
    for (const std::size_t size : {3, 5, 8, 20}) {
      for (const std::size_t values : {1, 2, 3}) {
        Generator generator(size);
        int found = 0;
        for (int i = 0; i < families; ++i)
          found += p_value_of(members(size, values, noise, generator)) <= 0.05 ? 1 : 0;
        EXPECT_LE(found, families / 20 + 12) << noise.name << " " << size << ": 5 %, and what chance adds";
      }
    }
  }
}

/// A run may be slow by chance; the same node twice is not.
TEST(Highest, HasToBeHighInAllOfItsValues) {
  Generator generator(3);
  std::vector<Values> once = members(8, 2, noises().front(), generator);
  std::vector<Values> twice = once;
  once.back().front() = 12;
  std::ranges::sort(once, std::ranges::greater(), lowest);
  EXPECT_GT(p_value_of(once), 0.1);
  twice.back() = {11, 12};
  std::ranges::sort(twice, std::ranges::greater(), lowest);
  EXPECT_LT(p_value_of(twice), 1e-3);
}

/// Their numbers of choices, and the p-value of the upper half, exceed the range of a double.
TEST(Highest, OfThousandsIsFoundOnlyIfItIsHigh) {
  Generator generator(1);
  std::vector<Values> values = members(2500, 1, noises().front(), generator);
  EXPECT_GT(p_value_of(values), 0.1);
  values.front() = {1000};
  EXPECT_LT(p_value_of(values), 1e-3);
}

TEST(HighFrom, IsWhereTheTestFinds) {
  Generator generator(2);
  const std::vector<Values> others = members(9, 2, noises().front(), generator);
  for (const std::size_t high : {1, 2}) {
    std::vector<Values> all = others;
    if (high == 2) all.front() = {1e4, 1e4};
    const double from = high_from(all, {0, 0}, high, std::log(0.001));
    for (const auto& [factor, is_found] : {std::pair(0.99, false), std::pair(1.01, true)}) {
      std::vector<Values> with = all;
      with.insert(with.begin() + static_cast<std::ptrdiff_t>(high - 1), {from * factor, from * factor});
      EXPECT_EQ(log_p_of_highest(with, high) <= std::log(0.001), is_found) << high;
    }
  }
}

}  // namespace
}  // namespace breakeven::highest_test
