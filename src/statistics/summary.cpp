#include "statistics/summary.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

#include "statistics/distributions.h"

namespace breakeven {
namespace {

/// The number of values left out at either end.
std::size_t left_out(std::size_t values, double part) {
  return static_cast<std::size_t>(part * static_cast<double>(values));
}

/// The values in rising order, and the range that is kept.
struct Trimmed {
  Trimmed(const std::vector<double>& values, double part)
      : sorted(values),
        begin(sorted.begin() + static_cast<std::ptrdiff_t>(left_out(values.size(), part))),
        end(sorted.end() - static_cast<std::ptrdiff_t>(left_out(values.size(), part))) {
    std::ranges::sort(sorted);
  }
  std::vector<double> sorted;
  std::vector<double>::iterator begin, end;
};

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

std::optional<double> median_if_any(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

std::optional<Interval> median_interval(std::vector<double> values) {
  const std::size_t n = values.size();
  if (n < fewest_for_an_interval) return std::nullopt;
  // The (k+1)-th smallest value lies above the median if at most k of n fair coins fall below it.
  const boost::math::binomial_distribution<double> coins(static_cast<double>(n), 0.5);
  auto k = static_cast<std::size_t>(std::max(0.0, boost::math::quantile(coins, 0.025)));
  while (k > 0 && boost::math::cdf(coins, static_cast<double>(k)) > 0.025) --k;
  while (boost::math::cdf(coins, static_cast<double>(k + 1)) <= 0.025) ++k;
  std::ranges::sort(values);
  return Interval{.low = values[k], .high = values[n - 1 - k]};
}

std::optional<Interval> median_interval(const std::vector<std::vector<double>>& launches) {
  if (launches.size() == 1) return median_interval(launches.front());
  std::size_t samples = 0;
  for (const auto& launch : launches) samples += launch.size();
  if (launches.empty() || samples < fewest_for_an_interval) return std::nullopt;
  constexpr int draws = 1000;
  std::mt19937_64 generator(1);  // the same file gives the same interval
  // The remainder's bias is below 2^-50 for any count used here.
  const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(generator() % count); };
  std::vector<double> medians;
  std::vector<double> drawn;
  for (int d = 0; d < draws; ++d) {
    drawn.clear();
    for (std::size_t l = 0; l < launches.size(); ++l) {
      const auto& launch = launches[draw(launches.size())];
      for (std::size_t s = 0; s < launch.size(); ++s) drawn.push_back(launch[draw(launch.size())]);
    }
    if (drawn.empty()) continue;
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::nth_element(drawn.begin(), middle, drawn.end());
    medians.push_back(*middle);
  }
  return Interval{.low = quantile(medians, 0.025), .high = quantile(medians, 0.975)};
}

Interval proportion_interval(std::size_t events, std::size_t trials) {
  if (trials == 0) return {.low = 0, .high = 1};
  using Binomial = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(events);
  return {.low = Binomial::find_lower_bound_on_p(n, k, 0.025),
          .high = Binomial::find_upper_bound_on_p(n, k, 0.025)};
}

double relative_half_width(const Interval& interval, double median) {
  return (interval.high - interval.low) / 2 / median;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double trimmed_mean(const std::vector<double>& values, double part) {
  const Trimmed trimmed(values, part);
  return mean({trimmed.begin, trimmed.end});
}

double trimmed_standard_error(const std::vector<double>& values, double part) {
  Trimmed trimmed(values, part);
  std::fill(trimmed.sorted.begin(), trimmed.begin, *trimmed.begin);
  std::fill(trimmed.end, trimmed.sorted.end(), *std::prev(trimmed.end));
  const auto n = static_cast<double>(values.size());
  return standard_deviation(trimmed.sorted) * std::sqrt(n) / static_cast<double>(trimmed.end - trimmed.begin);
}

Interval trimmed_mean_interval(const std::vector<double>& values, double part, double error_each_side,
                               double least_deviation) {
  const double middle = trimmed_mean(values, part);
  const auto left = values.size() - 2 * left_out(values.size(), part);
  const double error = std::max(trimmed_standard_error(values, part),
                                least_deviation / std::sqrt(static_cast<double>(values.size())));
  const double half_width = student_t_exceeded(static_cast<double>(left - 1), error_each_side) * error;
  return {.low = middle - half_width, .high = middle + half_width};
}

}  // namespace breakeven
