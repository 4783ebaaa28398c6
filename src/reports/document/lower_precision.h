// Compares the speed of other dtypes with f32 on one machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/families.h"

namespace breakeven {

/// How many times as fast as f32 a dtype is: the geometric mean over the problems that were measured in both,
/// each by the fastest backend of the device.
struct OverF32 {
  std::string op, device, dtype;  // "matmul", "cpu", "bf16"
  double mean = 1, least = 1, most = 1;
  std::size_t problems = 0;
};

/// The comparisons with f32 by operation and device. Ceilings are left out.
std::vector<OverF32> over_f32(const std::vector<Timed>& all);

}  // namespace breakeven
