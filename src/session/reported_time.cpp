#include "session/reported_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "protocol/possible_seconds.h"

namespace breakeven {
namespace {

/// True if the program reports less than time: a clock that went back.
bool is_negative(const answer::Sample& s) {
  return s.seconds < 0 || s.communication_seconds.value_or(0) < 0 ||
         std::ranges::any_of(s.latencies, [](double latency) { return latency < 0; });
}

bool is_longer(const answer::Sample& s, const RequestTimes& request) {
  constexpr double clocks_agree_to = 0.01;  // as each may be adjusted meanwhile
  constexpr double resolution = 50e-6;
  return !(total_seconds(s) <= request.wall * (1 + clocks_agree_to) + resolution + request.clock_step);
}

bool is_shorter(const answer::Sample& s, const RequestTimes& request) {
  constexpr double least_share = 0.6, messages = 0.1;
  const double sure = std::max((1 - messages) * request.wall - request.clock_step, request.computed);
  return total_seconds(s) + request.untimed < least_share * sure;
}

double sum_of_latencies(const answer::Sample& s) {
  return std::accumulate(s.latencies.begin(), s.latencies.end(), 0.0);
}

/// True if the times of single iterations, where there are any, are not those of the sample.
bool are_others(const answer::Sample& s, const RequestTimes& request) {
  if (s.latencies.empty()) return false;
  constexpr double clocks_agree_to = 0.01, resolution = 50e-6, least_share = 0.6;
  const double all = total_seconds(s), sum = sum_of_latencies(s);
  return sum > all * (1 + clocks_agree_to) + resolution + request.clock_step ||
         sum + request.untimed < least_share * all - request.clock_step;
}

}  // namespace

double total_seconds(const answer::Sample& sample) {
  return sample.seconds * static_cast<double>(sample.iterations);
}

bool shows_clock_jump(const answer::Sample& sample, const RequestTimes& request) {
  return is_negative(sample) || is_longer(sample, request);
}

std::string why_not_believed(const answer::Sample& sample, const RequestTimes& request) {
  const double reported = total_seconds(sample);
  if (is_negative(sample)) return "reported a time below 0 for a sample: its clock went back";
  if (is_longer(sample, request))
    return fmt::format("reported {:.3g} s for a sample, but only {:.3g} s passed", reported, request.wall);
  if (is_shorter(sample, request))
    return fmt::format("reported {:.3g} s for a sample that took {:.3g} s", reported,
                       std::max(request.wall, request.computed));
  if (are_others(sample, request))
    return fmt::format("reported {:.3g} s for a sample, and {:.3g} s for its iterations one by one", reported,
                       sum_of_latencies(sample));
  if (sample.seconds < shortest_seconds)
    return fmt::format("reported {:.3g} s an iteration, which is less than a processor's cycle",
                       sample.seconds);
  return "";
}

bool is_too_short(double seconds, const RequestTimes& request) {
  constexpr double least_share = 0.3;
  constexpr double order = 0.05;  // seconds, to shuffle the images; in Python 5 ms for 60,000
  return seconds + request.clock_step < least_share * (request.wall - order);
}

std::string why_epochs_are_not_believed(const Training& training, double step) {
  constexpr double least_share = 0.3;
  const double seconds = std::accumulate(training.epoch_seconds.begin(), training.epoch_seconds.end(), 0.0);
  const double as_samples = step * static_cast<double>(training.steps);
  if (training.epoch_seconds.empty() || seconds >= least_share * as_samples) return "";
  return fmt::format(
      "reported {:.3g} s for the {} steps of its epochs, which take at least {:.3g} s in samples", seconds,
      training.steps, as_samples);
}

double telling_request_seconds(double timeout) {
  constexpr double longest = 1, share = 0.25;
  return std::min(longest, share * timeout);
}

std::int64_t more_iterations(std::int64_t iterations, double wall, double timeout) {
  constexpr double most = 1e9, growth = 4, above = 1.02;
  const double factor = wall > 0 ? above * telling_request_seconds(timeout) / wall : growth;
  const double wanted = std::ceil(static_cast<double>(iterations) * std::clamp(factor, 1.0, growth));
  return static_cast<std::int64_t>(std::min(wanted, most));
}

double clock_step_of(const std::vector<double>& totals) {
  constexpr std::size_t fewest = 5;
  constexpr double smallest = 20e-6;  // seconds; samples are long against smaller ones anyway
  constexpr double exactness = 1e-3;  // of a step
  std::vector<double> sorted;
  std::ranges::copy_if(totals, std::back_inserter(sorted), [](double total) { return total > 0; });
  std::ranges::sort(sorted);
  // Equal times alone are those of a program that measures nothing.
  if (sorted.size() < fewest || sorted.back() - sorted.front() < smallest) return 0;
  double step = sorted.front();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (const double apart = sorted[i] - sorted[i - 1]; apart > exactness * smallest)
      step = std::min(step, apart);
  }
  const bool all_are_multiples = std::ranges::all_of(
      sorted, [&](double total) { return std::abs(total / step - std::round(total / step)) < exactness; });
  constexpr double largest = 0.1;  // of the clocks of computers: 1/18.2 s, an interrupt of the first PCs
  return step >= smallest && step <= largest && all_are_multiples ? step : 0;
}

double long_against(double clock_step) {
  constexpr double steps = 100;
  return steps * clock_step;
}

void set_clock_warning(std::vector<Note>& warnings, double step, std::size_t jumps) {
  std::erase_if(warnings, [](const Note& warning) {
    return warning.kind == NoteKind::clock_step || warning.kind == NoteKind::clock_jumps;
  });
  if (step > 0) {
    warnings.push_back({.kind = NoteKind::clock_step, .figures = {rounded(step)}});
  } else if (jumps > 0) {
    warnings.push_back({.kind = NoteKind::clock_jumps, .figures = {static_cast<double>(jumps)}});
  }
}

}  // namespace breakeven
