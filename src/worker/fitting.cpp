#include "worker/fitting.h"

#include <algorithm>

namespace breakeven {

Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<std::string(std::int64_t)>& why_not) {
  Fit fit;
  const auto fits = [&](std::int64_t size) {
    std::string why = why_not(size);
    if (why.empty()) {
      fit.largest = size;
      return true;
    }
    fit.refused = size;
    fit.limit = std::move(why);
    return false;
  };
  most -= most % step;
  for (std::int64_t size = step; fits(size); size = std::min(2 * size, most)) {
    if (size == most) return fit;
  }
  while (fit.refused - fit.largest > std::max(step, fit.largest / 100))
    fits(fit.largest + (fit.refused - fit.largest) / step / 2 * step);
  return fit;
}

}  // namespace breakeven
