#include "statistics/estimate.h"

#include <algorithm>
#include <cmath>

namespace breakeven {
namespace {

/// Half the width of the logarithm's interval; empty if there is no interval or it reaches 0.
std::optional<double> log_half_width(const Estimate& estimate) {
  if (!estimate.interval || !(estimate.interval->low > 0)) return std::nullopt;
  return std::log(estimate.interval->high / estimate.interval->low) / 2;
}

Estimate from_logarithm(double logarithm, const std::optional<double>& half_width) {
  Estimate made{.value = std::exp(logarithm)};
  if (half_width)
    made.interval =
        Interval{.low = std::exp(logarithm - *half_width), .high = std::exp(logarithm + *half_width)};
  return made;
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
  double halves = 0;
  bool known = true;
  for (const Estimate& one : estimates) {
    sum += std::log(one.value);
    const auto half = log_half_width(one);
    known = known && half;
    if (known) halves = add(halves, *half);
  }
  const auto count = static_cast<double>(estimates.size());
  return from_logarithm(sum / count, known ? std::optional(halves / count) : std::nullopt);
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

Estimate ratio(const Estimate& over, const Estimate& under) {
  const auto a = log_half_width(over);
  const auto b = log_half_width(under);
  return from_logarithm(std::log(over.value / under.value),
                        a && b ? std::optional(std::hypot(*a, *b)) : std::nullopt);
}

bool indistinguishable(const Estimate& a, const Estimate& b) {
  const Estimate of = ratio(a, b);
  return of.interval && of.interval->low <= 1 && 1 <= of.interval->high;
}

}  // namespace breakeven
