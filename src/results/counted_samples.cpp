#include "results/counted_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "statistics/summary.h"

namespace breakeven {

std::vector<std::int64_t> slow_samples(const std::vector<double>& own_speed) {
  std::vector<std::int64_t> slow;
  for (std::size_t i = 0; i < own_speed.size(); ++i) {
    if (own_speed[i] < trusted_speed_share) slow.push_back(static_cast<std::int64_t>(i));
  }
  return slow;
}

std::vector<std::int64_t> set_aside(const std::vector<std::int64_t>& throttled,
                                    const std::vector<double>& own_speed) {
  const auto slow = slow_samples(own_speed);
  std::vector<std::int64_t> both;
  std::set_union(throttled.begin(), throttled.end(), slow.begin(), slow.end(), std::back_inserter(both));
  return both;
}

std::vector<std::vector<double>> without(const std::vector<std::int64_t>& set_aside,
                                         std::vector<std::vector<double>> visits) {
  std::int64_t index = 0;
  for (auto& visit : visits) {
    std::vector<double> kept;
    for (const double seconds : visit) {
      if (!std::binary_search(set_aside.begin(), set_aside.end(), index++)) kept.push_back(seconds);
    }
    visit = std::move(kept);
  }
  return visits;
}

bool enough_without(std::size_t set_aside, std::size_t samples) {
  return samples >= set_aside + fewest_samples;
}

std::vector<std::vector<double>> counted_samples(const std::vector<std::vector<double>>& visits,
                                                 const std::vector<std::int64_t>& set_aside) {
  const std::size_t samples =
      std::accumulate(visits.begin(), visits.end(), std::size_t{0},
                      [](std::size_t sum, const auto& visit) { return sum + visit.size(); });
  if (set_aside.empty() || !enough_without(set_aside.size(), samples)) return visits;
  return without(set_aside, visits);
}

std::vector<std::size_t> counted_indices(const Timing& timing) {
  const auto aside = set_aside(timing.throttled, timing.own_speed);
  const bool enough = enough_without(aside.size(), timing.samples.size());
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < timing.samples.size(); ++i) {
    if (!enough || !std::binary_search(aside.begin(), aside.end(), static_cast<std::int64_t>(i)))
      indices.push_back(i);
  }
  return indices;
}

std::optional<double> own_speed_of(const CaseResult& result) {
  if (result.device != "cpu" || !result.seconds) return std::nullopt;
  const std::vector<double>& known = result.seconds->own_speed;
  std::vector<double> counted;
  for (const std::size_t i : counted_indices(*result.seconds)) {
    if (i < known.size() && std::isfinite(known[i])) counted.push_back(known[i]);
  }
  return median_if_any(std::move(counted));
}

}  // namespace breakeven
