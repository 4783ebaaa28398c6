// The randomisation test of paired differences. A pure function.
#pragma once

#include <vector>

namespace breakeven {

/// The chance of a mean at least as large as the values' where each value's sign is a coin's toss: exact
/// whatever their distribution, as long as it is symmetric around 0, which the difference of two arms is that
/// are one and the same (Fisher, The Design of Experiments, 1935, section 21). Never below 2^-n: so many
/// values it takes at least. One-sided; 1 for no values. It takes time and memory that double with every
/// other value: 40 take 16 MiB.
double sign_flip_chance(const std::vector<double>& values);

/// The values with none larger than `times` the median of their magnitudes, in either direction, so that one
/// that is far out does not outweigh the others. The limit depends on the magnitudes alone, which flipping
/// signs leaves as they are: the test is as exact of these.
std::vector<double> limited(std::vector<double> values, double times);

}  // namespace breakeven
