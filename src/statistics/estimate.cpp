#include "statistics/estimate.h"

#include <algorithm>
#include <boost/math/quadrature/trapezoidal.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "statistics/distributions.h"

namespace breakeven {
namespace {

/// How far the logarithm's interval reaches below and above the logarithm.
struct HalfWidths {
  double below = 0;
  double above = 0;
};

/// The half widths of the logarithm; empty if there is no interval or it reaches 0.
std::optional<HalfWidths> log_half_widths(const Estimate& estimate) {
  if (!estimate.interval || !(estimate.interval->low > 0)) return std::nullopt;
  // A file of another program may have a value beside its interval.
  return HalfWidths{.below = std::max(0.0, std::log(estimate.value / estimate.interval->low)),
                    .above = std::max(0.0, std::log(estimate.interval->high / estimate.value))};
}

Estimate with_half_widths(double value, const HalfWidths& of_logarithm) {
  return {.value = value,
          .interval = Interval{.low = value * std::exp(-of_logarithm.below),
                               .high = value * std::exp(of_logarithm.above)}};
}

Estimate from_logarithm(double logarithm, const std::optional<HalfWidths>& half_widths) {
  const double value = std::exp(logarithm);
  return half_widths ? with_half_widths(value, *half_widths) : Estimate{.value = value};
}

/// Adds two widths: in quadrature for independent errors, or as a sum for fully correlated ones.
using AddWidths = double (*)(double, double);
constexpr AddWidths in_quadrature = [](double a, double b) { return std::hypot(a, b); };
constexpr AddWidths in_full = [](double a, double b) { return a + b; };

Estimate sum_of(std::span<const Estimate> estimates, std::span<const double> weights, AddWidths add) {
  Estimate sum;
  double below = 0;
  double above = 0;
  bool known = true;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Estimate& one = estimates[i];
    sum.value += weights[i] * one.value;
    known = known && one.interval;
    if (!known) continue;
    below = add(below, weights[i] * (one.value - one.interval->low));
    above = add(above, weights[i] * (one.interval->high - one.value));
  }
  if (known) sum.interval = Interval{.low = std::max(sum.value - below, 0.0), .high = sum.value + above};
  return sum;
}

Estimate mean_of_logarithms(std::span<const Estimate> estimates, AddWidths add) {
  double sum = 0;
  HalfWidths widths;
  bool known = true;
  for (const Estimate& one : estimates) {
    sum += std::log(one.value);
    const auto of_one = log_half_widths(one);
    known = known && of_one;
    if (known)
      widths = {.below = add(widths.below, of_one->below), .above = add(widths.above, of_one->above)};
  }
  const auto count = static_cast<double>(estimates.size());
  widths = {.below = widths.below / count, .above = widths.above / count};
  return from_logarithm(sum / count, known ? std::optional(widths) : std::nullopt);
}

}  // namespace

std::optional<double> relative_half_width(const Estimate& estimate) {
  if (!estimate.interval) return std::nullopt;
  return (estimate.interval->high - estimate.interval->low) / 2 / estimate.value;
}

Estimate scaled(const Estimate& estimate, double factor) {
  Estimate made{.value = factor * estimate.value};
  if (estimate.interval)
    made.interval =
        Interval{.low = factor * estimate.interval->low, .high = factor * estimate.interval->high};
  return made;
}

Estimate weighted_sum(std::span<const Estimate> estimates, std::span<const double> weights) {
  return sum_of(estimates, weights, in_quadrature);
}

Estimate weighted_sum_together(std::span<const Estimate> estimates, std::span<const double> weights) {
  return sum_of(estimates, weights, in_full);
}

Estimate geometric_mean(std::span<const Estimate> estimates) {
  return mean_of_logarithms(estimates, in_quadrature);
}

Estimate geometric_mean_together(std::span<const Estimate> estimates) {
  return mean_of_logarithms(estimates, in_full);
}

void fill_intervals(std::span<Estimate> estimates) {
  const auto has_interval = [](const Estimate& one) { return one.interval.has_value(); };
  if (std::ranges::none_of(estimates, has_interval)) return;
  for (Estimate& one : estimates) {
    if (!one.interval)
      one.interval = Interval{.low = one.value / unmeasured_noise, .high = one.value * unmeasured_noise};
  }
}

Estimate ratio(const Estimate& over, const Estimate& under) {
  const double logarithm = std::log(over.value / under.value);
  const auto a = log_half_widths(over);
  const auto b = log_half_widths(under);
  if (!a || !b) return from_logarithm(logarithm, std::nullopt);
  return from_logarithm(logarithm, HalfWidths{.below = std::hypot(a->below, b->above),
                                              .above = std::hypot(a->above, b->below)});
}

Estimate widened(const Estimate& estimate, double deviation) {
  const auto widths = log_half_widths(estimate);
  if (!widths) return estimate;
  const double more = normal_quantile(0.975) * deviation;
  return with_half_widths(
      estimate.value, {.below = std::hypot(widths->below, more), .above = std::hypot(widths->above, more)});
}

Estimate for_joint_statements(const Estimate& estimate, std::size_t statements) {
  const auto widths = log_half_widths(estimate);
  if (!widths || statements < 2) return estimate;
  const double further =
      normal_quantile(1 - 0.025 / static_cast<double>(statements)) / normal_quantile(0.975);
  return with_half_widths(estimate.value,
                          {.below = further * widths->below, .above = further * widths->above});
}

Estimate ratio_among(const Estimate& over, const Estimate& under, std::size_t compared) {
  return for_joint_statements(ratio(over, under), compared * (compared - 1) / 2);
}

Estimate between_runs(const Estimate& ratio) {
  return widened(ratio, std::numbers::sqrt2 * run_deviation);
}

Estimate least_of(std::span<const Estimate> estimates) {
  constexpr double far = 8;  // deviations, beyond which nothing is probable
  struct Error {
    double mean, deviation;
  };
  const Estimate& least = *std::ranges::min_element(estimates, {}, &Estimate::value);
  if (!log_half_widths(least)) return least;
  std::vector<Error> errors;
  double from = std::log(least.value);
  double to = std::numeric_limits<double>::infinity();
  for (const Estimate& one : estimates) {
    const auto widths = log_half_widths(one);
    if (!widths) continue;
    const double deviation = (widths->below + widths->above) / 2 / normal_quantile(0.975);
    if (!(deviation > 0)) return least;
    const Error& error = errors.emplace_back(Error{.mean = std::log(one.value), .deviation = deviation});
    from = std::min(from, error.mean - far * deviation);
    to = std::min(to, error.mean + far * deviation);
  }
  if (errors.size() < 2) return least;  // nothing was chosen
  // The mean of the smallest is `from` plus the integral of the probability that all are above.
  const auto all_above = [&](double value) {
    double probability = 1;
    for (const Error& error : errors) probability *= normal_tail((value - error.mean) / error.deviation);
    return probability;
  };
  const double mean_of_least = from + boost::math::quadrature::trapezoidal(all_above, from, to, 1e-6);
  return scaled(least, std::exp(std::log(least.value) - mean_of_least));
}

bool may_be_equal(const Estimate& ratio) {
  if (ratio.interval) return ratio.interval->low <= 1 && ratio.interval->high >= 1;
  return ratio.value < unmeasured_noise && ratio.value > 1 / unmeasured_noise;
}

}  // namespace breakeven
