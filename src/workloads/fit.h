// The answer of a workload that asks what fits.
#pragma once

#include <cstdint>
#include <string>

namespace breakeven {

struct Fit {
  std::int64_t largest = 0;  // that fitted; 0: not even one
  std::int64_t refused = 0;  // the smallest met that did not; 0: all that were asked for fitted
  std::string limit;         // why it did not
};

}  // namespace breakeven
