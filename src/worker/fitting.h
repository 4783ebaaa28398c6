// The largest of something that fits, found by asking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace breakeven {

struct Fit {
  std::int64_t largest = 0;  // that fitted; 0: not even one
  std::int64_t refused = 0;  // the smallest that did not; 0: all that were asked for fitted
  std::string limit;         // why it did not
};

/// `why_not` tries one size and says why it does not fit; empty if it does. Doubles from 1 up to `most`, then
/// halves the distance until it is at most a hundredth: what fits at one size fits at every smaller one.
Fit largest_that_fits(std::int64_t most, const std::function<std::string(std::int64_t)>& why_not);

}  // namespace breakeven
