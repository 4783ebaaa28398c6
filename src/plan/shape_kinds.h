// Checks which kinds of matrix shapes a config has. Kernels compute whole tiles and handle the remainder in
// other code. Round sizes never reach that code, so a suite of round sizes does not notice if it gets slower.
#pragma once

#include <optional>
#include <vector>

#include "plan/config.h"

namespace breakeven {

/// The config that has all kinds.
inline constexpr const char* all_shapes_config = "odd-shapes";

/// The kinds that matrix products have: an odd size above 1, and a size that is 1 or at most 1/32 of another.
struct ShapeKinds {
  bool odd = false, thin = false;
};

/// Empty if there is no matrix product.
std::optional<ShapeKinds> shape_kinds(const std::vector<PlannedCase>& cases);

}  // namespace breakeven
