// Checks which kinds of matrix shapes a config has. Kernels compute whole tiles and handle the remainder in
// other code. Round sizes never reach that code, so a suite of round sizes does not notice if it gets slower.
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"

namespace breakeven {

/// The config that has all kinds.
inline constexpr const char* all_shapes_config = "odd-shapes";

/// A sentence that names the missing kinds, an odd size above 1 and a size that is 1 or at most 1/32 of
/// another, and the config that has them; empty if none is missing, or if there is no matrix product.
std::string untried_shapes(const std::vector<PlannedCase>& cases);

}  // namespace breakeven
