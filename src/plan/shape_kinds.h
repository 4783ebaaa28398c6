// Checks which kinds of matrix shapes a config has. Kernels compute whole tiles and handle the remainder in
// other code. Round sizes never reach that code, so a suite of round sizes does not notice if it gets slower.
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"

namespace breakeven {

struct ShapeKinds {
  bool any = false;   // there is a matrix product
  bool odd = false;   // m, n or k is odd and above 1
  bool thin = false;  // m, n or k is 1, or at most 1/32 of another
};
ShapeKinds product_shapes(const std::vector<PlannedCase>& cases);

/// The config that has all kinds.
inline constexpr const char* all_shapes_config = "odd-shapes";

/// A sentence that names the missing kinds and the config that has them; empty if none is missing, or if
/// there is no matrix product.
std::string untried_shapes(const std::vector<PlannedCase>& cases);

}  // namespace breakeven
