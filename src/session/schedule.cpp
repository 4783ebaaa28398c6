#include "session/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "results/number_text.h"
#include "results/warning_starts.h"
#include "statistics/summary.h"
#include "text/counted.h"

namespace breakeven {
namespace {

constexpr double longest_request = 0.200;  // seconds, for a request of more than one iteration

/// True if the latest five samples differ from the five before: at least 21 of 25 pairs are ordered the same
/// way, which is significant at 10 % by the Mann-Whitney test, and the medians differ by more than half a
/// percent.
bool moves(const std::vector<double>& samples) {
  constexpr std::size_t window = 5;
  constexpr int one_sided = 21;
  constexpr double noticeable = 0.005;
  const auto middle = samples.end() - window;
  const std::vector<double> before(middle - window, middle), after(middle, samples.end());
  int faster = 0, slower = 0;
  for (const double now : after) {
    for (const double then : before) {
      faster += now < then ? 1 : 0;
      slower += now > then ? 1 : 0;
    }
  }
  return std::max(faster, slower) >= one_sided && std::abs(median(after) / median(before) - 1) > noticeable;
}

/// The drift of the samples over time, by Kendall's tau against their order (Mann, Nonparametric tests
/// against trend, Econometrica 1945), at a level at which one steady case in a thousand is flagged. The size
/// is the median of the last third relative to that of the first. Empty if there is no drift.
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

/// The largest drift within a visit, because other cases run between visits; 0 if no visit drifts.
double largest_drift(const Timing& timing) {
  std::vector<std::vector<double>> visits;
  auto next = timing.samples.begin();
  for (const std::int64_t count : timing.visits.empty() ? timing.launches : timing.visits) {
    visits.emplace_back(next, next + count);
    next += count;
  }
  double largest = 0;
  for (const auto& visit : counted_samples(visits, set_aside(timing.throttled, timing.own_speed))) {
    const double trend = drift(visit).value_or(0);
    if (std::abs(trend) > std::abs(largest)) largest = trend;
  }
  return largest;
}

}  // namespace

double sample_length(const std::vector<double>& costs) {
  constexpr double shortest = 0.010;
  constexpr double longest = 0.050;
  constexpr double turn_share = 0.03;
  const double turn_cost = costs.empty() ? 0 : median(costs);
  return std::clamp(turn_cost / turn_share, shortest, longest);
}

void note_cost(std::vector<double>& costs, double seconds) {
  constexpr std::size_t kept = 31;
  if (costs.size() == kept) costs.erase(costs.begin());
  costs.push_back(seconds);
}

double stretch_seconds(double probe_cost) {
  constexpr double probe_share = 0.022;  // a visit also probes before its first round
  constexpr double longest = 0.200;
  return std::min(probe_cost / probe_share, longest);
}

std::int64_t iterations_for(double sample_length, double seconds_each, double request_seconds_each) {
  const double wanted =
      std::min(sample_length / seconds_each, std::max(longest_request, sample_length) / request_seconds_each);
  return static_cast<std::int64_t>(std::clamp(std::ceil(wanted), 1.0, 1e9));
}

std::int64_t paired_iterations(std::int64_t own, std::int64_t most, double request_seconds) {
  constexpr std::int64_t longest = 4;
  const bool is_short = static_cast<double>(most) * request_seconds <= longest_request;
  return most <= longest * own && is_short ? most : own;
}

Progress progress(const std::vector<std::vector<double>>& visits, double spent, double precision,
                  double seconds) {
  // The interval is that of one visit, because the variation between visits cannot be known from inside one.
  const auto& latest = visits.back();
  // One sample among many hardly changes an interval, and computing it needs a sort of all samples.
  const std::size_t step = std::max<std::size_t>(1, latest.size() / 64);
  if (latest.size() >= fewest_samples && latest.size() % step == 0) {
    std::vector<double> all;
    for (const auto& visit : visits) all.insert(all.end(), visit.begin(), visit.end());
    const auto interval = median_interval(latest);
    if (interval && relative_half_width(*interval, median(std::move(all))) <= precision)
      return Progress::precise;
  }
  return spent >= seconds ? Progress::out_of_time : Progress::more;
}

bool is_warm(const WarmUp& warm_up, double visit_seconds) {
  constexpr double least_share = 0.1, most_share = 0.25;
  constexpr double longest_least = 0.25;
  constexpr std::size_t fewest = 10;  // number of samples needed to detect a drift
  if (warm_up.spent < std::min(longest_least, least_share * visit_seconds)) return false;
  if (warm_up.spent >= most_share * visit_seconds || warm_up.samples.size() < fewest) return true;
  return !moves(warm_up.samples);
}

std::vector<std::size_t> random_order(std::size_t count, std::mt19937_64& generator) {
  std::vector<std::size_t> order(count);
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

void Throttling::note(std::int64_t index, const std::vector<std::string>& why) {
  samples.push_back(index);
  for (const std::string& cause : why) ++causes[cause];
  ++in_a_row;
}

bool Throttling::steady() const {
  constexpr int most_rests = 3;  // in a row
  return in_a_row > most_rests;
}

double rest_seconds(const Throttling& throttling, const Measure& measure) {
  constexpr double first = 0.1;
  constexpr double share = 0.25;
  constexpr double least = 0.01;  // shorter rests would change nothing
  if (throttling.in_a_row == 0 || throttling.steady()) return 0;
  const double left = share * measure.max_seconds / measure.launches - throttling.rested;
  const double wanted = first * std::exp2(throttling.in_a_row - 1);
  return left < least ? 0 : std::min(wanted, left);
}

std::vector<std::vector<double>> deciding_samples(const std::vector<std::vector<double>>& visits,
                                                  const Throttling& throttling,
                                                  const std::vector<double>& own_speed) {
  const std::vector<std::int64_t> none;
  auto free = without(set_aside(throttling.steady() ? none : throttling.samples, own_speed), visits);
  if (!throttling.steady() || !slow_samples(own_speed).empty()) return free;
  return counted_samples(visits, throttling.samples);
}

std::int64_t energy_iterations(double energy_seconds, double seconds_each) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(energy_seconds / seconds_each), 1.0, 1e9));
}

Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations,
                 const std::vector<std::int64_t>& throttled, const std::vector<double>& own_speed) {
  Timing timing;
  timing.throttled = throttled;
  timing.own_speed = own_speed;
  for (const auto& launch : launches) {
    timing.samples.insert(timing.samples.end(), launch.begin(), launch.end());
    timing.launches.push_back(std::ssize(launch));
  }
  auto counted = counted_samples(launches, set_aside(throttled, own_speed));
  std::erase_if(counted, [](const auto& launch) { return launch.empty(); });
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

Timing summarise_visits(const std::vector<std::vector<double>>& visits, std::int64_t iterations,
                        const std::vector<std::int64_t>& throttled, const std::vector<double>& own_speed) {
  Timing timing = summarise(visits, iterations, throttled, own_speed);
  if (visits.size() > 1) timing.visits = timing.launches;
  timing.launches = {std::ssize(timing.samples)};
  return timing;
}

std::vector<std::string> timing_warnings(const Timing& timing, Progress end, const Measure& measure) {
  std::vector<std::string> warnings;
  if (!timing.ci_low) {
    warnings.push_back(fmt::format("{}{} in {:g} s: too few for an interval", few_samples_start,
                                   counted_text(timing.samples.size(), "sample", "samples"),
                                   measure.max_seconds));
  } else if (end == Progress::out_of_time) {
    const double reached = relative_half_width({*timing.ci_low, *timing.ci_high}, timing.median);
    if (reached > measure.precision) {
      warnings.push_back(fmt::format(
          "the time limit of {:g} s was reached at an interval of ±{:.1f} %, requested was ±{:g} %",
          measure.max_seconds, reached * 100, measure.precision * 100));
    }
  }
  // Later launches start again from cold caches and clocks, so only a single launch can have a trend.
  if (timing.launches.size() == 1) {
    const double trend = largest_drift(timing);
    if (std::abs(trend) > measure.precision)
      warnings.push_back(fmt::format("drifted by {:+.1f} % from the first samples to the last", trend * 100));
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
  return fmt::format("the GPU lowered its clocks in {} of {} ({})", throttling.samples.size(),
                     counted_text(samples, "sample", "samples"), fmt::join(causes, ", "));
}

std::vector<std::string> throttling_warnings(const Throttling& throttling,
                                             const std::vector<double>& own_speed,
                                             const std::vector<double>& seconds) {
  const auto described = describe(throttling, seconds.size());
  if (!described) return {};
  const auto aside = set_aside(throttling.samples, own_speed);
  if (!enough_without(aside.size(), seconds.size()))
    return {fmt::format("{}: too few are left, and figures are of all", *described)};
  std::vector<double> throttled;
  for (const std::int64_t i : throttling.samples) throttled.push_back(seconds[static_cast<std::size_t>(i)]);
  return {fmt::format("{}: figures are of the others; with lowered clocks it took {:.3g}x as long",
                      *described, median(std::move(throttled)) / median(without(aside, {seconds}).front()))};
}

std::optional<std::string> describe(const MachineSpeed& speed) {
  constexpr double nearly_all = 0.9;
  if (static_cast<double>(speed.slow_rounds) <= (1 - nearly_all) * static_cast<double>(speed.rounds))
    return std::nullopt;
  return fmt::format("this machine ran below {:.0f} % of its own speed in {} of {} ({:.0f} % in the slowest)",
                     trusted_speed_share * 100, speed.slow_rounds,
                     counted_text(speed.rounds, "round", "rounds"), speed.lowest * 100);
}

void warn_of_speed(const std::optional<MachineSpeed>& speed, std::vector<std::string>& warnings) {
  if (!speed) return;
  if (auto described = describe(*speed)) warnings.push_back(std::move(*described));
  constexpr double usual = 1.05;
  if (speed->clock_range.value_or(1) > usual) {
    warnings.push_back(
        fmt::format("the processor's clock varied by {:.0f} % during this run, and times with it",
                    (*speed->clock_range - 1) * 100));
  }
  if (speed->core_to_core_range.value_or(1) > moved_cores_factor) {
    warnings.push_back(fmt::format(
        "a hypervisor moved the cores during this run: the core-to-core latency changed by {:.2g}x, "
        "and work on several threads with it, by less",
        *speed->core_to_core_range));
  }
}

bool counts_slow_samples(const std::vector<double>& own_speed, const Throttling& throttling) {
  const std::size_t aside = set_aside(throttling.samples, own_speed).size();
  return !slow_samples(own_speed).empty() && !enough_without(aside, own_speed.size());
}

std::vector<std::string> own_speed_warnings(const std::vector<double>& own_speed,
                                            const Throttling& throttling) {
  if (!counts_slow_samples(own_speed, throttling)) return {};
  std::vector<double> slow;
  for (const std::int64_t i : slow_samples(own_speed)) slow.push_back(own_speed[static_cast<std::size_t>(i)]);
  const std::size_t count = slow.size();
  return {fmt::format("{}{:.0f} % of its own speed in {} of {} samples: measure again when it is quieter",
                      own_speed_start, median(std::move(slow)) * 100, count, own_speed.size())};
}

void add_losses(Training& training, const std::vector<double>& losses, std::size_t most) {
  for (const double loss : losses) {
    // The last entry is the mean of the steps since it was started.
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
