// Measures how often `history check` reports a change if nothing changed and it runs every night for a year,
// on years of simulated runs of noise with outliers. The checks of one year examine the same runs repeatedly,
// so their false alarms are correlated.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "statistics/change_points.h"

namespace {

constexpr int years = 60;
constexpr int nights = 365;
constexpr std::size_t series = 50;
constexpr double level = 0.01;  // of each check

/// Draws a time around 1 with a spread of 1 %. One in twenty is disturbed, by up to 30 %.
double draw_time(std::mt19937_64& generator) {
  const auto uniform = [&] { return (static_cast<double>(generator() >> 11U) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double normal = radius * std::cos(2 * std::numbers::pi * uniform());
  return std::exp(0.01 * normal) * (uniform() < 0.05 ? 1 + 0.3 * uniform() : 1);
}

/// The number of nights of one year in which a check finds any change.
int alarms_of_a_year(double threshold, std::mt19937_64& generator) {
  std::vector<std::vector<double>> times(series);
  int alarms = 0;
  for (int night = 0; night < nights; ++night) {
    bool alarm = false;
    for (auto& one : times) {
      one.push_back(draw_time(generator));
      alarm = !breakeven::change_points(one, threshold, level / series).empty() || alarm;
    }
    alarms += alarm ? 1 : 0;
  }
  return alarms;
}

}  // namespace

int main() {
  fmt::print("| threshold | checks with an alarm | years with one |\n|---|---|---|\n");
  for (const double threshold : {0.0, 0.03}) {
    std::mt19937_64 generator(11);
    int checks = 0;
    int with_any = 0;
    for (int year = 0; year < years; ++year) {
      const int alarms = alarms_of_a_year(threshold, generator);
      checks += alarms;
      with_any += alarms > 0 ? 1 : 0;
    }
    fmt::print("| {:g} % | {} of {} | {} of {} |\n", 100 * threshold, checks, years * nights, with_any,
               years);
  }
}
