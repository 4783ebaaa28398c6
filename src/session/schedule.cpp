#include "session/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/summary.h"

namespace breakeven {

double sample_length(const std::vector<double>& costs) {
  constexpr double shortest = 0.010;
  constexpr double longest = 0.050;
  constexpr double share = 0.03;
  return costs.empty() ? shortest : std::clamp(median(costs) / share, shortest, longest);
}

std::int64_t iterations_for(double sample_length, double seconds_each, double request_seconds_each) {
  constexpr double longest_request = 0.200;
  const double wanted = std::min(sample_length / seconds_each, longest_request / request_seconds_each);
  return static_cast<std::int64_t>(std::clamp(std::ceil(wanted), 1.0, 1e9));
}

Progress progress(const std::vector<std::vector<double>>& launches, double spent, const Measure& measure) {
  // Within one launch: what more launches would add cannot be known from inside one.
  const auto& latest = launches.back();
  // One sample among many hardly moves an interval, and finding it means sorting them all.
  const std::size_t step = std::max<std::size_t>(1, latest.size() / 64);
  if (latest.size() >= fewest_samples && latest.size() % step == 0) {
    std::vector<double> all;
    for (const auto& launch : launches) all.insert(all.end(), launch.begin(), launch.end());
    const auto interval = median_interval(latest);
    if (interval && relative_half_width(*interval, median(std::move(all))) <= measure.precision)
      return Progress::precise;
  }
  return spent >= measure.max_seconds / measure.launches ? Progress::out_of_time : Progress::more;
}

std::vector<std::size_t> random_order(std::size_t arms, std::mt19937_64& generator) {
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), generator);
  return order;
}

std::vector<std::string> throttle_causes(ClockReasons seen, const std::map<std::string, double>& counted,
                                         double window) {
  constexpr double noticeable = 0.01;
  std::vector<std::string> causes = names_of(throttling(seen));
  for (const auto& [name, seconds] : counted) {
    if (seconds > noticeable * window) causes.push_back(fmt::format("{} limit", name));
  }
  return causes;
}

namespace {

/// Rests in a row that are tried.
constexpr int most_rests = 3;

std::size_t count_of(const std::vector<std::vector<double>>& launches) {
  std::size_t count = 0;
  for (const auto& launch : launches) count += launch.size();
  return count;
}

}  // namespace

void Throttling::note(std::int64_t index, const std::vector<std::string>& why) {
  samples.push_back(index);
  for (const std::string& cause : why) ++causes[cause];
  ++in_a_row;
}

bool Throttling::steady() const {
  return in_a_row > most_rests;
}

double rest_seconds(const Throttling& throttling, const Measure& measure) {
  constexpr double first = 0.1;
  constexpr double share = 0.25;
  constexpr double least = 0.01;  // less would change nothing
  if (throttling.in_a_row == 0 || throttling.steady()) return 0;
  const double left = share * measure.max_seconds / measure.launches - throttling.rested;
  const double wanted = first * std::exp2(throttling.in_a_row - 1);
  return left < least ? 0 : std::min(wanted, left);
}

std::vector<std::vector<double>> without(const std::vector<std::int64_t>& throttled,
                                         std::vector<std::vector<double>> launches) {
  std::int64_t index = 0;
  for (auto& launch : launches) {
    std::vector<double> kept;
    for (const double seconds : launch) {
      if (!std::binary_search(throttled.begin(), throttled.end(), index++)) kept.push_back(seconds);
    }
    launch = std::move(kept);
  }
  return launches;
}

namespace {

/// Whether so many samples can be counted without those that throttled.
bool enough_without(std::size_t throttled, std::size_t samples) {
  return samples - throttled >= fewest_samples;
}

}  // namespace

std::vector<std::vector<double>> counted_samples(const std::vector<std::vector<double>>& launches,
                                                 const std::vector<std::int64_t>& throttled) {
  if (throttled.empty()) return launches;
  return enough_without(throttled.size(), count_of(launches)) ? without(throttled, launches) : launches;
}

std::vector<std::size_t> counted_indices(std::size_t samples, const std::vector<std::int64_t>& throttled) {
  const bool enough = enough_without(throttled.size(), samples);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < samples; ++i) {
    if (!enough || !std::binary_search(throttled.begin(), throttled.end(), static_cast<std::int64_t>(i)))
      indices.push_back(i);
  }
  return indices;
}

std::vector<std::vector<double>> deciding_samples(const std::vector<std::vector<double>>& launches,
                                                  const Throttling& throttling) {
  return throttling.steady() ? counted_samples(launches, throttling.samples)
                             : without(throttling.samples, launches);
}

std::int64_t energy_iterations(double energy_seconds, double seconds_each) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(energy_seconds / seconds_each), 1.0, 1e9));
}

Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations,
                 const std::vector<std::int64_t>& throttled) {
  Timing timing;
  timing.throttled = throttled;
  for (const auto& launch : launches) {
    timing.samples.insert(timing.samples.end(), launch.begin(), launch.end());
    timing.launches.push_back(std::ssize(launch));
  }
  const auto counted = counted_samples(launches, throttled);
  std::vector<double> all;
  for (const auto& launch : counted) all.insert(all.end(), launch.begin(), launch.end());
  timing.median = median(std::move(all));
  if (const auto interval = median_interval(counted)) {
    timing.ci_low = interval->low;
    timing.ci_high = interval->high;
  }
  timing.iterations = iterations;
  return timing;
}

namespace {

/// Whether the samples rise or fall with time, by Kendall's tau against their order (Mann, Nonparametric
/// tests against trend, Econometrica 1945), at a level at which one steady case in a thousand is flagged. The
/// size is that of the last third's median against the first's.
std::optional<double> drift(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  if (n < 15) return std::nullopt;
  double score = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j)
      score += samples[j] > samples[i] ? 1 : samples[j] < samples[i] ? -1 : 0;
  }
  const auto count = static_cast<double>(n);
  const double deviation = std::sqrt(count * (count - 1) * (2 * count + 5) / 18);
  if (std::abs(score) / deviation < 3.29) return std::nullopt;
  const auto third = static_cast<std::ptrdiff_t>(n / 3);
  return median({samples.end() - third, samples.end()}) / median({samples.begin(), samples.begin() + third}) -
         1;
}

}  // namespace

std::vector<std::string> timing_warnings(const Timing& timing, Progress end, const Measure& measure) {
  std::vector<std::string> warnings;
  if (!timing.ci_low) {
    warnings.push_back(fmt::format("only {} samples in {:g} s: too few for an interval",
                                   timing.samples.size(), measure.max_seconds));
  } else if (end == Progress::out_of_time) {
    const double reached = relative_half_width({*timing.ci_low, *timing.ci_high}, timing.median);
    if (reached > measure.precision) {
      warnings.push_back(fmt::format(
          "the time limit of {:g} s was reached at an interval of ±{:.1f} %, requested was ±{:g} %",
          measure.max_seconds, reached * 100, measure.precision * 100));
    }
  }
  // Later launches start again from cold caches and clocks: a trend is one of a single launch.
  if (timing.launches.size() == 1) {
    const auto trend = drift(counted_samples({timing.samples}, timing.throttled).front());
    if (trend && std::abs(*trend) > measure.precision) {
      warnings.push_back(
          fmt::format("drifted by {:+.1f} % from the first samples to the last", *trend * 100));
    }
  }
  return warnings;
}

std::vector<std::string> condition_warnings(const Conditions& c) {
  std::vector<std::string> warnings;
  if (c.other_cpu_percent && *c.other_cpu_percent > 5) {
    warnings.push_back(fmt::format("other processes used {:.0f} % of the CPU time", *c.other_cpu_percent));
  }
  if (c.steal_percent && *c.steal_percent > 2) {
    warnings.push_back(fmt::format("the hypervisor took {:.0f} % of the CPU time", *c.steal_percent));
  }
  if (c.throttled_seconds && *c.throttled_seconds > 0) {
    warnings.push_back(fmt::format("the CPU quota stopped the run for {:.2g} s", *c.throttled_seconds));
  }
  if (c.thermal_throttles && *c.thermal_throttles > 0)
    warnings.emplace_back("the CPU throttled because of heat");
  if (c.device && c.device->other_processes.value_or(0) > 0)
    warnings.push_back(fmt::format("other processes computed on the GPU: {}", *c.device->other_processes));
  if (c.device && c.device->ecc_errors.value_or(0) > 0)
    warnings.push_back(
        fmt::format("the GPU's memory had errors that were not corrected: {}", *c.device->ecc_errors));
  return warnings;
}

std::optional<std::string> describe(const Throttling& throttling, std::size_t samples) {
  if (throttling.samples.empty()) return std::nullopt;
  std::vector<std::string> causes;
  for (const auto& [cause, count] : throttling.causes) causes.push_back(cause);
  return fmt::format("the GPU lowered its clocks in {} of {} samples ({})", throttling.samples.size(),
                     samples, fmt::join(causes, ", "));
}

std::vector<std::string> throttling_warnings(const Throttling& throttling, std::size_t samples) {
  const auto described = describe(throttling, samples);
  if (!described) return {};
  const bool enough = enough_without(throttling.samples.size(), samples);
  return {fmt::format("{}: {}", *described,
                      enough ? "figures are of the others" : "too few are left, and figures are of all")};
}

void add_losses(Training& training, const std::vector<double>& losses, std::size_t most) {
  for (const double loss : losses) {
    // The last entry is the mean of the steps since it was begun.
    const std::int64_t within = training.steps % training.loss_stride;
    if (within == 0) {
      training.loss.push_back(loss);
    } else {
      training.loss.back() += (loss - training.loss.back()) / static_cast<double>(within + 1);
    }
    ++training.steps;
    if (training.loss.size() == most && training.steps % training.loss_stride == 0) {
      std::vector<double> halved;
      for (std::size_t i = 0; i + 1 < training.loss.size(); i += 2)
        halved.push_back((training.loss[i] + training.loss[i + 1]) / 2);
      training.loss = std::move(halved);
      training.loss_stride *= 2;
    }
  }
}

}  // namespace breakeven
