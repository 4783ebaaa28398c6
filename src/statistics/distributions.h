// Quantiles and tails of the distributions that intervals and tests stand on, by Boost.Math.
#pragma once

namespace breakeven {

/// Returns the t that Student's distribution exceeds with `probability`, which is between 0 and 1.
double student_t_exceeded(double degrees_of_freedom, double probability);

/// Returns the probability that Student's distribution exceeds `t`.
double student_t_tail(double degrees_of_freedom, double t);

/// Returns the value that the standard normal distribution stays below with `probability`.
double normal_quantile(double probability);

/// Returns the probability that the standard normal distribution exceeds `z`.
double normal_tail(double z);

/// Returns the probability that Fisher's F exceeds `ratio`.
double fisher_f_tail(double degrees_of_freedom_above, double degrees_of_freedom_below, double ratio);

}  // namespace breakeven
