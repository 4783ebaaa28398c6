// How much faster other dtypes are than f32, on one machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/families.h"

namespace breakeven {

/// How many times as fast as f32 a dtype is, by the fastest backend of a device in either: the geometric mean
/// over the problems that were measured in both.
struct OverF32 {
  std::string op, device, dtype;  // "matmul", "cpu", "bf16"
  double mean = 1, least = 1, most = 1;
  std::size_t problems = 0;
};

/// By operation and device; ceilings are left out.
std::vector<OverF32> over_f32(const std::vector<Timed>& all);

}  // namespace breakeven
