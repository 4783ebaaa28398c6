#include "results/counted_samples.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
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

namespace {

std::optional<double> median_own_speed(const Timing& timing, const std::vector<std::size_t>& counted) {
  std::vector<double> known;
  for (const std::size_t i : counted) {
    if (i < timing.own_speed.size() && std::isfinite(timing.own_speed[i]))
      known.push_back(timing.own_speed[i]);
  }
  return median_if_any(std::move(known));
}

std::optional<std::vector<double>> launch_medians(const Timing& timing,
                                                  const std::vector<std::size_t>& counted) {
  if (timing.launches.size() <= 1) return std::nullopt;
  std::vector<std::size_t> ends;  // index behind the last sample of each launch
  std::size_t end = 0;
  for (const std::int64_t count : timing.launches) {
    if (count < 0 || static_cast<std::size_t>(count) > timing.samples.size() - end) return std::nullopt;
    end += static_cast<std::size_t>(count);
    ends.push_back(end);
  }
  if (end != timing.samples.size()) return std::nullopt;
  std::vector<double> medians;
  auto next = counted.begin();
  for (const std::size_t launch_end : ends) {
    std::vector<double> launch;
    for (; next != counted.end() && *next < launch_end; ++next) {
      const double seconds = timing.samples[*next];
      if (std::isfinite(seconds) && seconds > 0) launch.push_back(seconds);
    }
    if (!launch.empty()) medians.push_back(median(std::move(launch)));
  }
  return medians;
}

/// The index of the shortest sample; empty without a sample that is a number.
std::optional<std::size_t> shortest_of(const std::vector<double>& samples) {
  std::optional<std::size_t> shortest;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isnan(samples[i]) && (!shortest || samples[i] < samples[*shortest])) shortest = i;
  }
  return shortest;
}

}  // namespace

SampleFigures sample_figures(const Timing& timing) {
  if (timing.figures) return *timing.figures;
  SampleFigures figures{.count = timing.samples.size()};
  if (timing.samples.empty()) return figures;
  const auto iterations = static_cast<double>(timing.iterations);
  figures.seconds = std::accumulate(timing.samples.begin(), timing.samples.end(), 0.0,
                                    [&](double sum, double sample) { return sum + sample * iterations; });
  if (const auto shortest = shortest_of(timing.samples)) {
    figures.shortest = timing.samples[*shortest];
    if (timing.own_speed.size() == timing.samples.size())
      figures.own_speed_of_shortest = timing.own_speed[*shortest];
  }
  const auto counted = counted_indices(timing);
  figures.own_speed = median_own_speed(timing, counted);
  figures.launch_medians = launch_medians(timing, counted);
  const auto bytes = std::as_bytes(std::span(timing.samples));
  figures.hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return figures;
}

std::size_t counted_launches_of(const Timing& timing) {
  if (timing.launches.size() <= 1) return timing.launches.size();
  const auto size_of = [&](const std::optional<std::vector<double>>& medians) {
    return medians ? medians->size() : timing.launches.size();
  };
  return timing.figures ? size_of(timing.figures->launch_medians)
                        : size_of(launch_medians(timing, counted_indices(timing)));
}

void keep_figures(CaseResult& result) {
  result.conditions.unreadable.clear();
  if (!result.seconds) return;
  Timing& timing = *result.seconds;
  timing.figures = sample_figures(timing);
  for (auto* values : {&timing.samples, &timing.own_speed}) *values = {};
  timing.visits = {};
}

std::optional<double> own_speed_of(const CaseResult& result) {
  if (result.device != "cpu" || !result.seconds) return std::nullopt;
  return sample_figures(*result.seconds).own_speed;
}

}  // namespace breakeven
