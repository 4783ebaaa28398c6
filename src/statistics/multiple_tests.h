// What several tests at once say together. Pure functions.
#pragma once

#include <vector>

namespace breakeven {

/// The p-values adjusted by Holm's step-down procedure, in the same order: those of at most `level` may all
/// be believed, and in at most `level` of all such suites of tests one of them is false, however the tests
/// depend on each other (Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal
/// of Statistics 1979).
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

}  // namespace breakeven
