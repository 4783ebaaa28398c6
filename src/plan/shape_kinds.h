// The kinds of matrix products that a config tries. Kernels compute whole tiles and leave the remainder to
// other code. Round sizes never reach that code, so a suite of round sizes does not notice when it gets
// slower.
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

/// A sentence that names the missing kinds and the config that has them; empty if none is missing, or if
/// there is no matrix product.
std::string untried_shapes(const std::vector<PlannedCase>& cases);

}  // namespace breakeven
