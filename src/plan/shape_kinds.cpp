#include "plan/shape_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace breakeven {

std::string untried_shapes(const std::vector<PlannedCase>& cases) {
  constexpr std::int64_t thin_ratio = 32;
  bool any = false, odd = false, thin = false;
  for (const PlannedCase& planned : cases) {
    if (planned.problem.workload->op() != "matmul") continue;
    any = true;
    const auto& p = planned.problem.parameters;
    const auto sizes = {p.integer("m"), p.integer("n"), p.integer("k")};
    for (const std::int64_t size : sizes) odd |= size > 1 && size % 2 == 1;
    thin |= std::min(sizes) == 1 || std::max(sizes) / std::min(sizes) >= thin_ratio;
  }
  if (!any || (odd && thin)) return "";
  const char* missing = odd ? "a thin shape" : thin ? "an odd size" : "an odd size or a thin shape";
  return fmt::format(
      "No matrix product here has {}; such products can get slower alone. The config {} has them.", missing,
      all_shapes_config);
}

}  // namespace breakeven
