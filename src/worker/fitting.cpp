#include "worker/fitting.h"

#include <algorithm>
#include <string>

#include "worker/backend.h"

namespace breakeven {

Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<void(std::int64_t)>& try_size) {
  Fit fit;
  const auto fits = [&](std::int64_t size) {
    try {
      try_size(size);
      fit.largest = size;
      return true;
    } catch (const OutOfMemory& e) {
      fit.limit = e.what();
    } catch (const Unsupported& e) {
      if (size == step) throw;
      fit.limit = std::string("library limit: ") + e.what();
    }
    fit.refused = size;
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
