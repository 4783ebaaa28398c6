// Arithmetic on measured quantities that propagates their intervals. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "statistics/summary.h"

namespace breakeven {

/// A value above 0 and, if known, its 95 % interval. Estimates are treated as independent. A result computed
/// from several estimates has an interval only if all of them have one.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval = {};
};

/// Half the interval's width divided by the value: the "2 %" of "±2 %". Empty without an interval.
std::optional<double> relative_half_width(const Estimate& estimate);

Estimate scaled(const Estimate& estimate, double factor);

/// The weighted sum of estimates; there are as many weights, all above 0. The lower and the upper half widths
/// each add up in quadrature (JCGM 100:2008, Guide to the expression of uncertainty in measurement, 5.1.2).
Estimate weighted_sum(std::span<const Estimate> estimates, std::span<const double> weights);

/// The geometric mean of at least one estimate. The lower and the upper half widths of the logarithms each
/// add up in quadrature.
Estimate geometric_mean(std::span<const Estimate> estimates);

/// The same for estimates whose errors are correlated, such as one model's predictions: the half widths add
/// up.
Estimate weighted_sum_together(std::span<const Estimate> estimates, std::span<const double> weights);
Estimate geometric_mean_together(std::span<const Estimate> estimates);

/// The ratio that noise may reach where nobody measured it.
inline constexpr double unmeasured_noise = 1.2;

/// Gives estimates without an interval the one from value / 1.2 to value * 1.2, if others have one. Otherwise
/// one of them would take the interval from the whole sum.
void fill_intervals(std::span<Estimate> estimates);

/// The ratio of two estimates. The half widths of their logarithms add up in quadrature: the lower one of the
/// first and the upper one of the second, and the other way round.
Estimate ratio(const Estimate& over, const Estimate& under);

/// The standard deviation of the logarithm of a time between launches (processes) of one run, where nothing
/// more is known of it: three of four cases recorded in tests/recorded/launch-noise.json stay below it.
inline constexpr double launch_deviation = 0.013;

/// The same between runs of one machine.
inline constexpr double run_deviation = 0.01;

/// The estimate whose logarithm has a further error with this standard deviation: it adds up in quadrature.
/// Without an interval it stays as it is.
Estimate widened(const Estimate& estimate, double deviation);

/// The estimate with the interval that it needs for all of so many statements to hold together in 95 %, by
/// Bonferroni's inequality, if errors of the logarithm are normal. Without an interval it stays as it is.
Estimate for_joint_statements(const Estimate& estimate, std::size_t statements);

/// The ratio of two of so many estimates, with an interval for statements on all of their pairs together.
Estimate ratio_among(const Estimate& over, const Estimate& under, std::size_t compared);

/// A ratio of two runs, which also differ from each other by `run_deviation` each.
Estimate between_runs(const Estimate& ratio);

/// The smallest of the true values of at least one estimate. The smallest estimate lies below it, because
/// noise helped to choose it: it is raised by what noise of their size takes from the smallest of values that
/// lie as they do. Where all true values are equal, that is half of what is missing; elsewhere nearly all.
Estimate least_of(std::span<const Estimate> estimates);

/// True if it is unknown which of two is larger: the interval of their ratio contains 1 or, without an
/// interval, the ratio is below the 1.2 that noise may reach.
bool may_be_equal(const Estimate& ratio);

}  // namespace breakeven
