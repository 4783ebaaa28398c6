#include "verdicts/launch_effect.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "host/own_speed.h"

namespace breakeven {

std::vector<double> middles_of(const std::vector<LaunchEffect>& effects) {
  std::vector<double> middles;
  middles.reserve(effects.size());
  std::ranges::transform(effects, std::back_inserter(middles), &LaunchEffect::middle);
  return middles;
}

std::vector<double> bounds_of(const std::vector<LaunchEffect>& effects, double LaunchEffect::*bound) {
  std::vector<double> bounds;
  bounds.reserve(effects.size());
  std::ranges::transform(effects, std::back_inserter(bounds), bound);
  return bounds;
}

Interval trimmed_mean_interval(const std::vector<LaunchEffect>& effects, double trimmed, double error,
                               double least_deviation) {
  const auto of = [&](double LaunchEffect::*bound) {
    return trimmed_mean_interval(bounds_of(effects, bound), trimmed, error, least_deviation);
  };
  return {.low = of(&LaunchEffect::lower).low, .high = of(&LaunchEffect::upper).high};
}

double neighbour_bound(double own_speed) {
  // Two backends' times of one problem were found to differ by at most own_speed to the power 1.29.
  constexpr double exponent = 1.3;
  constexpr double slowest = 0.01;  // a machine that stood still has a bound, too
  return own_speed >= trusted_speed_share ? 0 : -exponent * std::log(std::max(own_speed, slowest));
}

LaunchEffect effect_of(const LaunchSamples& launch) {
  struct PairEffect {
    double effect, bound;
  };
  std::vector<PairEffect> pairs;
  for (std::size_t i = 0; i < std::min(launch.base.size(), launch.head.size()); ++i)
    pairs.push_back({.effect = std::log(launch.head[i] / launch.base[i]),
                     .bound = i < launch.own_speed.size() ? neighbour_bound(launch.own_speed[i]) : 0});
  std::ranges::stable_sort(pairs, {}, &PairEffect::bound);
  const auto undisturbed = static_cast<std::size_t>(std::ranges::count(pairs, 0.0, &PairEffect::bound));
  // Pairs between which a neighbour comes and goes may look undisturbed, but not most of several.
  const std::size_t enough = std::max<std::size_t>(2, pairs.size() / 3);
  pairs.resize(undisturbed >= enough ? undisturbed : (pairs.size() + 1) / 2);
  std::vector<double> lower, upper;
  for (const PairEffect& pair : pairs) {
    lower.push_back(pair.effect - pair.bound);
    upper.push_back(pair.effect + pair.bound);
  }
  return {median(std::move(lower)), median(std::move(upper))};
}

}  // namespace breakeven
