// Which kinds of matrix products a config tries. Kernels compute whole tiles, and what is left over by other
// code: round sizes never reach it, so that a suite of them does not see it get slower.
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"

namespace breakeven {

struct ShapeKinds {
  bool any = false;   // there is a matrix product
  bool odd = false;   // m, n or k is odd and above 1
  bool thin = false;  // m, n or k is 1, or a 32nd of another at most
};
ShapeKinds product_shapes(const std::vector<PlannedCase>& cases);

/// The config that tries all of them.
inline constexpr const char* all_shapes_config = "odd-shapes";

/// The kinds that are missing, and the config that has them: a sentence; empty where none is missing, or
/// there is no matrix product.
std::string untried_shapes(const std::vector<PlannedCase>& cases);

}  // namespace breakeven
