// Tests a change of level in a series whose noise may be correlated in time. Pure functions.
#pragma once

#include <cstddef>
#include <span>

namespace breakeven {

/// The logarithm of the two-sided p-value that the level of a series changes at the value `position`, if each
/// run may resemble the runs before it: a machine warms up, wanders, or has good and bad days. Noise is white
/// noise plus an autoregressive process of first order. Of all its shares and correlations that the series
/// does not contradict (their restricted log-likelihood is within two of the best), the one with the largest
/// p-value counts. For each, the change is estimated by generalised least squares, through a Kalman filter
/// (Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989, section 3.4). Values far
/// from their level are moved nearer before. Needs at least five values, and one on either side.
double log_p_of_shift(std::span<const double> values, std::size_t position);

}  // namespace breakeven
