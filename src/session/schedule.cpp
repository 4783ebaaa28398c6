#include "session/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/summary.h"

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

std::vector<int> fewer_threads(int all, int fast_cores) {
  std::vector<int> counts;
  for (const int count : {all - 1, all / 2, fast_cores}) {
    if (count >= 1 && count < all && std::ranges::find(counts, count) == counts.end())
      counts.push_back(count);
  }
  return counts;
}

std::int64_t iterations_to_run(std::int64_t counted, double extra_work) {
  return counted + std::llround(extra_work * static_cast<double>(counted));
}

std::int64_t whole_iterations(std::int64_t iterations, double extra_work) {
  if (extra_work == 0) return iterations;
  constexpr double exactness = 0.02;
  const auto is_met = [&](std::int64_t counted) {
    const auto further = static_cast<double>(iterations_to_run(counted, extra_work) - counted);
    return std::abs(further / static_cast<double>(counted) - extra_work) <= exactness * extra_work;
  };
  while (!is_met(iterations)) ++iterations;
  return iterations;
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

std::vector<Note> timing_warnings(const Timing& timing, Progress end, const Measure& measure) {
  std::vector<Note> warnings;
  if (!timing.ci_low) {
    warnings.push_back({.kind = NoteKind::few_samples,
                        .figures = {static_cast<double>(timing.samples.size()), measure.max_seconds}});
  } else if (end == Progress::out_of_time) {
    const double reached = relative_half_width({*timing.ci_low, *timing.ci_high}, timing.median);
    if (reached > measure.precision)
      warnings.push_back(
          {.kind = NoteKind::time_limit, .figures = {measure.max_seconds, reached, measure.precision}});
  }
  // Later launches start again from cold caches and clocks, so only a single launch can have a trend.
  if (timing.launches.size() == 1) {
    const double trend = largest_drift(timing);
    if (std::abs(trend) > measure.precision)
      warnings.push_back({.kind = NoteKind::drift, .figures = {trend}});
  }
  return warnings;
}

std::vector<Note> condition_warnings(const Conditions& c) {
  constexpr double percent = 100;
  std::vector<Note> warnings;
  const auto warn_above = [&](NoteKind kind, const auto& amount, double most, double unit = 1) {
    if (amount && static_cast<double>(*amount) > most)
      warnings.push_back({.kind = kind, .figures = {static_cast<double>(*amount) / unit}});
  };
  warn_above(NoteKind::other_processes, c.other_cpu_percent, 5, percent);
  warn_above(NoteKind::hypervisor, c.steal_percent, 2, percent);
  warn_above(NoteKind::cpu_quota, c.throttled_seconds, 0);
  if (c.thermal_throttles.value_or(0) > 0) warnings.push_back({.kind = NoteKind::cpu_heat});
  if (!c.device) return warnings;
  warn_above(NoteKind::gpu_processes, c.device->other_processes, 0);
  warn_above(NoteKind::gpu_memory_errors, c.device->ecc_errors, 0);
  return warnings;
}

std::optional<Note> lowered_clocks(const Throttling& throttling, std::size_t samples) {
  if (throttling.samples.empty()) return std::nullopt;
  Note note{.kind = NoteKind::gpu_clocks,
            .figures = {static_cast<double>(throttling.samples.size()), static_cast<double>(samples)}};
  for (const auto& [cause, count] : throttling.causes) note.about.push_back(cause);
  return note;
}

std::optional<Note> throttling_warning(const Throttling& throttling, const std::vector<double>& own_speed,
                                       const std::vector<double>& seconds) {
  auto note = lowered_clocks(throttling, seconds.size());
  if (!note) return note;
  const auto aside = set_aside(throttling.samples, own_speed);
  if (!enough_without(aside.size(), seconds.size())) {
    note->kind = NoteKind::gpu_clocks_counted;
    return note;
  }
  std::vector<double> throttled;
  for (const std::int64_t i : throttling.samples) throttled.push_back(seconds[static_cast<std::size_t>(i)]);
  note->kind = NoteKind::gpu_clocks_set_aside;
  note->figures.push_back(median(std::move(throttled)) / median(without(aside, {seconds}).front()));
  return note;
}

void warn_of_speed(const std::optional<MachineSpeed>& speed, std::vector<Note>& warnings) {
  if (!speed) return;
  constexpr double nearly_all = 0.9;
  const auto slow = static_cast<double>(speed->slow_rounds), all = static_cast<double>(speed->rounds);
  if (slow > (1 - nearly_all) * all)
    warnings.push_back(
        {.kind = NoteKind::slow_rounds, .figures = {trusted_speed_share, slow, all, speed->lowest}});
  constexpr double usual = 1.05;
  if (speed->clock_range.value_or(1) > usual)
    warnings.push_back({.kind = NoteKind::cpu_clock_range, .figures = {*speed->clock_range}});
  if (speed->core_to_core_range.value_or(1) > moved_cores_factor)
    warnings.push_back({.kind = NoteKind::cores_moved, .figures = {*speed->core_to_core_range}});
}

bool is_of_speed(NoteKind kind) {
  return kind == NoteKind::slow_rounds || kind == NoteKind::cpu_clock_range || kind == NoteKind::cores_moved;
}

bool counts_slow_samples(const std::vector<double>& own_speed, const Throttling& throttling) {
  const std::size_t aside = set_aside(throttling.samples, own_speed).size();
  return !slow_samples(own_speed).empty() && !enough_without(aside, own_speed.size());
}

std::optional<Note> own_speed_warning(const std::vector<double>& own_speed, const Throttling& throttling) {
  if (!counts_slow_samples(own_speed, throttling)) return std::nullopt;
  std::vector<double> slow;
  for (const std::int64_t i : slow_samples(own_speed)) slow.push_back(own_speed[static_cast<std::size_t>(i)]);
  const auto count = static_cast<double>(slow.size());
  return Note{.kind = NoteKind::slow_samples,
              .figures = {median(std::move(slow)), count, static_cast<double>(own_speed.size())}};
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
