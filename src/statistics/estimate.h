// Arithmetic on measured quantities that carries their intervals through. Pure functions.
#pragma once

#include <optional>
#include <span>

#include "statistics/summary.h"

namespace breakeven {

/// A quantity above 0 with, where it is known, its 95 % interval. Estimates are taken to be independent; an
/// interval of what is made of several is there only where all of them have one.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval = {};
};

/// Half of the interval over the value: the "2 %" of "±2 %". Nothing without an interval.
std::optional<double> relative_half_width(const Estimate& estimate);

Estimate scaled(const Estimate& estimate, double factor);

/// Of the same number of weights, above 0. What is below each value, and what is above it, adds up in
/// quadrature (JCGM 100:2008, Guide to the expression of uncertainty in measurement, 5.1.2).
Estimate weighted_sum(std::span<const Estimate> estimates, std::span<const double> weights);

/// Of at least one: the same, of their logarithms.
Estimate geometric_mean(std::span<const Estimate> estimates);

/// The same of estimates whose errors go together, as those of one model's predictions do: bounds add up.
Estimate weighted_sum_together(std::span<const Estimate> estimates, std::span<const double> weights);
Estimate geometric_mean_together(std::span<const Estimate> estimates);

/// The same, of the difference of their logarithms.
Estimate ratio(const Estimate& over, const Estimate& under);

/// Whether 1 is in the interval of their ratio: which of them is larger is not known. False where a ratio has
/// none.
bool indistinguishable(const Estimate& a, const Estimate& b);

}  // namespace breakeven
