#include "plan/shape_kinds.h"

#include <algorithm>
#include <cstdint>

namespace breakeven {

std::optional<ShapeKinds> shape_kinds(const std::vector<PlannedCase>& cases) {
  constexpr std::int64_t thin_ratio = 32;
  std::optional<ShapeKinds> kinds;
  for (const PlannedCase& planned : cases) {
    if (planned.problem.workload->op() != "matmul") continue;
    if (!kinds) kinds.emplace();
    const auto& p = planned.problem.parameters;
    const auto sizes = {p.integer("m"), p.integer("n"), p.integer("k")};
    for (const std::int64_t size : sizes) kinds->odd |= size > 1 && size % 2 == 1;
    kinds->thin |= std::min(sizes) == 1 || std::max(sizes) / std::min(sizes) >= thin_ratio;
  }
  return kinds;
}

}  // namespace breakeven
