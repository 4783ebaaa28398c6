#include "statistics/level_shift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "statistics/change_points.h"

namespace breakeven::level_shift_test {
namespace {

using Generator = std::mt19937_64;

/// Times of runs that resemble those before them, and of a machine that wanders.
struct Machine {
  const char* name;
  double deviation;    // of a run
  double correlation;  // of a run with the next
  double step;         // of the machine's level, from run to run
};

std::vector<double> series(const Machine& machine, std::size_t count, Generator& generator) {
  std::normal_distribution<double> normal;
  const double fresh = std::sqrt(1 - machine.correlation * machine.correlation);
  double noise = normal(generator), level = 0;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    noise = machine.correlation * noise + fresh * normal(generator);
    level += machine.step * normal(generator);
    values.push_back(std::exp(machine.deviation * noise + level));
  }
  return values;
}

void slow_from(std::vector<double>& values, std::size_t begin, double factor) {
  std::for_each(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end(),
                [&](double& value) { value *= factor; });
}

/// Most of the times are equal.
TEST(LevelShift, IsSeldomFoundInTheTimesOfACoarseClock) {
  Generator generator(6);
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> values = series({"by half", 0.02, 0.5, 0}, 100, generator);
    for (double& value : values) value = std::round(value * 25) / 25;
    alarms += change_points(values, 0.03, 0.01 / 50).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 2);
}

/// 2 % of the checks of 50 series.
TEST(LevelShift, IsSeldomFoundWhereRunsResembleEachOther) {
  constexpr int checks = 20, of_series = 50;
  for (const Machine& machine :
       {Machine{"a little", 0.02, 0.2, 0}, Machine{"by half", 0.02, 0.5, 0}, Machine{"much", 0.02, 0.8, 0},
        Machine{"wandering", 0.01, 0, 0.002}, Machine{"wandering, quiet", 0.003, 0, 0.002}}) {
    Generator generator(4);
    int alarms = 0;
    for (int i = 0; i < checks * of_series; ++i)
      alarms += change_points(series(machine, 100, generator), 0.03, 0.01 / of_series).empty() ? 0 : 1;
    EXPECT_LE(alarms, 2) << machine.name;
  }
}

TEST(LevelShift, OfFivePercentIsFoundInThemAfterFourRuns) {
  Generator generator(5);
  int found = 0;
  constexpr int all = 100;
  for (int i = 0; i < all; ++i) {
    std::vector<double> values = series({"by half", 0.01, 0.5, 0}, 60, generator);
    slow_from(values, 56, 1.05);
    found += change_points(values, 0.03, 0.01 / 50).empty() ? 0 : 1;
  }
  EXPECT_GE(found, 65);
}

/// The least squares of independent values are Student's t-test of two samples. Expected: R,
/// t.test(log(c(1.00, 1.01, 0.99, 1.02)), log(c(1.10, 1.12, 1.09, 1.13)), var.equal = TRUE)$statistic: -9.9;
/// with 4 degrees of freedom, because two are spent on the noise.
TEST(LevelShift, OfIndependentValuesIsAtLeastStudentsPValue) {
  const std::vector<double> values{1.00, 1.01, 0.99, 1.02, 1.10, 1.12, 1.09, 1.13};
  EXPECT_GT(log_p_of_shift(values, 4), std::log(6.0e-5)) << "the p-value of R";
  EXPECT_LT(log_p_of_shift(values, 4), std::log(0.05));
}

TEST(LevelShift, OfAConstantSeriesIsNone) {
  for (const std::size_t count : {5, 100})
    EXPECT_NEAR(log_p_of_shift(std::vector<double>(count, 1e-3), 1), 0, 1e-6);
}

TEST(LevelShift, OfAConstantSeriesWithAStepIsCertain) {
  std::vector<double> values(12, 1);
  slow_from(values, 6, 2);
  EXPECT_LT(log_p_of_shift(values, 6), -100);
}

}  // namespace
}  // namespace breakeven::level_shift_test
