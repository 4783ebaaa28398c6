#include "statistics/crossing.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace breakeven {
namespace {

/// A least-squares line. `level` is its value at `centre`, the mean of the places, where level and slope are
/// uncorrelated.
struct Line {
  double centre = 0, level = 0, slope = 0;
  double count = 0, spread = 0;  // number of values, sum of the places' squared distances from the centre
  double at(double place) const { return level + slope * (place - centre); }
};

Line line_through(std::span<const ValuesAt> places) {
  Line line;
  for (const ValuesAt& place : places) {
    const auto n = static_cast<double>(place.values.size());
    line.count += n;
    line.centre += n * place.at;
    line.level += n * mean(place.values);
  }
  line.centre /= line.count;
  line.level /= line.count;
  double product = 0;
  for (const ValuesAt& place : places) {
    const auto n = static_cast<double>(place.values.size());
    const double distance = place.at - line.centre;
    line.spread += n * distance * distance;
    product += n * distance * (mean(place.values) - line.level);
  }
  line.slope = product / line.spread;
  return line;
}

double squared_around(const std::vector<double>& values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

bool departs(std::span<const ValuesAt> places, const Line& line) {
  double within = 0;
  double between = 0;
  for (const ValuesAt& place : places) {
    const double level = mean(place.values);
    within += squared_around(place.values, level);
    between +=
        static_cast<double>(place.values.size()) * (level - line.at(place.at)) * (level - line.at(place.at));
  }
  const double freedom_between = static_cast<double>(places.size()) - 2;
  const double freedom_within = line.count - static_cast<double>(places.size());
  if (freedom_between < 1 || !(within > 0)) return false;
  const double ratio = (between / freedom_between) / (within / freedom_within);
  return fisher_f_tail(freedom_between, freedom_within, ratio) < 0.05;
}

Crossing cross(std::span<const ValuesAt> places, const Line& line, double confidence) {
  double sum = 0;
  for (const ValuesAt& place : places) sum += squared_around(place.values, line.at(place.at));
  const double freedom = line.count - 2;
  const double variance = sum / freedom;
  const double t = student_t_exceeded(freedom, (1 - confidence) / 2);
  const double of_level = t * t * variance / line.count;
  const double of_slope = t * t * variance / line.spread;

  Crossing found{.at = line.centre - line.level / line.slope, .slope = line.slope, .interval = {}};
  // Finds all d with (level + slope d)^2 <= of_level + of_slope d^2.
  const double a = line.slope * line.slope - of_slope;
  if (!(a > 0)) return found;
  const double b = line.level * line.slope;
  const double c = line.level * line.level - of_level;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  found.interval = Interval{.low = line.centre + (-b - root) / a, .high = line.centre + (-b + root) / a};
  return found;
}

}  // namespace

std::optional<Crossing> crossing_of(std::span<const ValuesAt> places, double confidence) {
  const Line through_all = line_through(places);
  if (places.size() < 2 || through_all.count < 3 || !(through_all.spread > 0)) return std::nullopt;
  if (!std::isfinite(through_all.level / through_all.slope)) return std::nullopt;
  if (!departs(places, through_all)) return cross(places, through_all, confidence);
  std::vector<ValuesAt> means;
  means.reserve(places.size());
  for (const ValuesAt& place : places) means.push_back({.at = place.at, .values = {mean(place.values)}});
  const Line through_means = line_through(means);
  if (!std::isfinite(through_means.level / through_means.slope)) return std::nullopt;
  return cross(means, through_means, confidence);
}

}  // namespace breakeven
