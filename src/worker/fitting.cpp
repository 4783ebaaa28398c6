#include "worker/fitting.h"

#include <string>

#include "worker/backend.h"

namespace breakeven {

Fit largest_that_fits(std::int64_t most, std::int64_t step,
                      const std::function<void(std::int64_t)>& try_size) {
  return find_fit(most, step, [&](std::int64_t size) -> std::string {
    try {
      try_size(size);
      return "";
    } catch (const OutOfMemory& e) {
      return e.what();
    } catch (const Unsupported& e) {
      if (size == step) throw;
      return library_limit(e.what());
    }
  });
}

}  // namespace breakeven
