#include "plan/shape_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace breakeven {

ShapeKinds product_shapes(const std::vector<PlannedCase>& cases) {
  constexpr std::int64_t thin = 32;
  ShapeKinds kinds;
  for (const PlannedCase& planned : cases) {
    const Case& problem = planned.problem;
    if (problem.workload->op() != "matmul") continue;
    kinds.any = true;
    const auto& p = problem.parameters;
    const auto sizes = {p.integer("m"), p.integer("n"), p.integer("k")};
    for (const std::int64_t size : sizes) kinds.odd |= size > 1 && size % 2 == 1;
    kinds.thin |= std::min(sizes) == 1 || std::max(sizes) / std::min(sizes) >= thin;
  }
  return kinds;
}

std::string untried_shapes(const std::vector<PlannedCase>& cases) {
  const ShapeKinds kinds = product_shapes(cases);
  if (!kinds.any || (kinds.odd && kinds.thin)) return "";
  const char* missing = kinds.odd    ? "a thin shape"
                        : kinds.thin ? "an odd size"
                                     : "an odd size or a thin shape";
  return fmt::format(
      "No matrix product here has {}; such products can get slower alone. The config {} has them.", missing,
      all_shapes_config);
}

}  // namespace breakeven
