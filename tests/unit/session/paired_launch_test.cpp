#include "session/paired_launch.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "verdicts/break_even.h"

namespace breakeven {
namespace {

using testing::ElementsAre;

TEST(CountingBackends, AreTheFastestOfTheOtherLaunches) {
  EXPECT_THAT(counting_backends({{{"a", 1.0}, {"b", 2.0}}}), ElementsAre("a")) << "there is no other launch";
  EXPECT_THAT(counting_backends({{{"a", 1.0}, {"b", 2.0}}, {{"a", 3.0}, {"b", 2.0}}}), ElementsAre("b", "a"));
  EXPECT_THAT(counting_backends({{{"a", 1.0}, {"b", 1.1}},
                                 {{"a", 1.0}, {"b", 0.9}},
                                 {{"a", 1.0}, {"b", 1.1}},
                                 {{"a", 1.0}, {"b", 1.1}}}),
              ElementsAre("a", "a", "a", "a"))
      << "also in the launch in which b was faster";
}

TEST(CountingBackends, AreThoseOfTheLaunch) {
  EXPECT_THAT(counting_backends({{{"a", 1.0}}, {{"b", 2.0}}}), ElementsAre("a", "b"));
  EXPECT_THAT(counting_backends({{{"a", 1.0}, {"b", 2.0}}, {{"b", 2.0}}, {{"b", 2.0}}}),
              ElementsAre("b", "b", "b"))
      << "no other launch has a";
}

TEST(LogRatiosOf, AreThoseOfTheBackendsThatCount) {
  const PairedLaunch first{.amounts = {{{{"a", 1.0}, {"b", 2.0}}, {{"c", 1.0}}}},
                           .log_ratios = {{{"a", "c"}, 0.1}, {{"b", "c"}, 0.2}}};
  const PairedLaunch second{.amounts = {{{{"a", 2.0}, {"b", 1.0}}, {{"c", 1.0}}}},
                            .log_ratios = {{{"a", "c"}, 0.3}, {{"b", "c"}, 0.4}}};
  EXPECT_THAT(log_ratios_of({first}), ElementsAre(0.1));
  EXPECT_THAT(log_ratios_of({first, second}), ElementsAre(0.2, 0.3));
}

/// A search where several baselines take equally long, and the challenger takes less from 300 on. Both sides'
/// launches vary by 1.06 %. Returns the part of the searches whose interval contains 300.
double covered(int baselines, int searches) {
  constexpr double planted = 300;
  std::mt19937_64 generator(1);
  std::normal_distribution<double> noise(0, 0.0106);
  int contain = 0;
  for (int i = 0; i < searches; ++i) {
    BreakEvenSearch search({.from = 16, .to = 8192});
    std::map<std::int64_t, std::vector<PairedLaunch>> launches;
    while (const auto value = search.next()) {
      const double ratio = planted / static_cast<double>(*value);
      PairedLaunch launch;
      const double challenger = std::log((1 + 0.3 * ratio * ratio) / 1.3) + noise(generator);
      launch.amounts[1]["challenger"] = std::exp(challenger);
      for (int b = 0; b < baselines; ++b) {
        const double baseline = noise(generator);
        launch.amounts[0][std::to_string(b)] = std::exp(baseline);
        launch.log_ratios.emplace(std::array{std::to_string(b), std::string("challenger")},
                                  challenger - baseline);
      }
      launches[*value].push_back(launch);
      search.replace(*value, log_ratios_of(launches[*value]));
    }
    const BreakEven found = search.answer();
    if (found.changes.size() != 1) continue;
    const Interval& interval = found.changes[0].interval;
    contain += interval.low <= planted && planted <= interval.high ? 1 : 0;
  }
  return static_cast<double>(contain) / searches;
}

/// The smallest of the times of each launch would be too small: 63 % with two baselines, 33 % with three.
TEST(LogRatiosOf, IntervalsOfSeveralEqualBackendsContainTheCrossing) {
  constexpr int searches = 250;
  EXPECT_GE(covered(1, searches), 0.90);
  EXPECT_GE(covered(2, searches), 0.88);
  EXPECT_GE(covered(3, searches), 0.86);
}

}  // namespace
}  // namespace breakeven
