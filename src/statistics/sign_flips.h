// The randomisation test of paired differences. A pure function.
#pragma once

#include <vector>

namespace breakeven {

/// The chance of a mean at least as large as the values' where each value's sign is a coin's toss: exact
/// whatever their distribution, as long as it is symmetric around 0, which the difference of two arms is that
/// are one and the same (Fisher, The Design of Experiments, 1935, section 21). Never below 2^-n: so many
/// values it takes at least. One-sided; 1 for no values. At most 40 values.
double sign_flip_chance(const std::vector<double>& values);

}  // namespace breakeven
