// Corrects p-values for several tests at once. Pure functions.
#pragma once

#include <vector>

namespace breakeven {

/// Adjusts p-values by Holm's step-down procedure; returns them in the same order. If all those of at most
/// `level` count as significant, at most a fraction `level` of such families of tests contains a false one,
/// however the tests depend on each other (Holm, A simple sequentially rejective multiple test procedure,
/// Scandinavian Journal of Statistics 1979).
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

}  // namespace breakeven
