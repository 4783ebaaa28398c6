// Operands that rotate (workloads/rotation.h): equal sets, stored contiguously in device memory.
#pragma once

#include <cstdint>

namespace breakeven::cuda {

/// `sets` sets of two operands and a result. The steps are the bytes from one set to the next.
struct Turns {
  std::int64_t sets = 1;
  std::int64_t first_step = 0, second_step = 0, output_step = 0;
  std::int64_t set = 0;  // the current set

  void next() { set = set + 1 == sets ? 0 : set + 1; }
};

}  // namespace breakeven::cuda
