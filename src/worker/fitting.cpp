#include "worker/fitting.h"

#include <algorithm>

namespace breakeven {

Fit largest_that_fits(std::int64_t most, const std::function<std::string(std::int64_t)>& why_not) {
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
  for (std::int64_t size = 1; fits(size); size = std::min(2 * size, most)) {
    if (size == most) return fit;
  }
  while (fit.refused - fit.largest > std::max<std::int64_t>(1, fit.largest / 100))
    fits(fit.largest + (fit.refused - fit.largest) / 2);
  return fit;
}

}  // namespace breakeven
