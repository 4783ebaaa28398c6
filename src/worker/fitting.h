// Finds the largest size that fits, by trying.
#pragma once

#include <cstdint>
#include <string>

#include "worker/backend.h"

namespace breakeven {

/// Runs find_fit() with `try_size`, which throws OutOfMemory if the size does not fit, and Unsupported if a
/// library does not accept a size that large: the reason then begins with "library limit". Unsupported for
/// the smallest size is passed on to the caller.
Fit largest_that_fits(std::int64_t most, std::int64_t step, const auto& try_size) {
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
