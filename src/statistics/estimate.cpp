#include "statistics/estimate.h"

#include <algorithm>
#include <cmath>

namespace breakeven {
namespace {

/// Half the width of the logarithm's interval; nothing where there is none, or it reaches 0.
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
  Estimate sum;
  double squares = 0;
  bool known = true;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Estimate& one = estimates[i];
    sum.value += weights[i] * one.value;
    known = known && one.interval;
    if (!known) continue;
    const double half = weights[i] * (one.interval->high - one.interval->low) / 2;
    squares += half * half;
  }
  const double half = std::sqrt(squares);
  if (known) sum.interval = Interval{.low = std::max(sum.value - half, 0.0), .high = sum.value + half};
  return sum;
}

Estimate geometric_mean(std::span<const Estimate> estimates) {
  double sum = 0;
  double squares = 0;
  bool known = true;
  for (const Estimate& one : estimates) {
    sum += std::log(one.value);
    const auto half = log_half_width(one);
    known = known && half;
    if (known) squares += *half * *half;
  }
  const auto count = static_cast<double>(estimates.size());
  return from_logarithm(sum / count, known ? std::optional(std::sqrt(squares) / count) : std::nullopt);
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
