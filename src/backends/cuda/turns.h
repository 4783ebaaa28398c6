// Operands that rotate (workloads/rotation.h): equal sets of them, one behind the other in the device's
// memory.
#pragma once

#include <cstdint>

namespace breakeven::cuda {

/// Two operands and a result, `sets` times: how many bytes lie between a set's and the next one's.
struct Turns {
  std::int64_t sets = 1;
  std::int64_t first_step = 0, second_step = 0, output_step = 0;
  std::int64_t set = 0;  // whose turn it is

  void next() { set = set + 1 == sets ? 0 : set + 1; }
};

}  // namespace breakeven::cuda
