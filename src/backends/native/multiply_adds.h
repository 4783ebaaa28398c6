// Runs a CPU's multiply-add instructions at full rate: loops that use registers only, one for each such
// instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven::native {

/// Two vectors to multiply, in the type that an instruction requires.
struct Vectors {
  alignas(64) std::array<std::byte, 64> a;
  alignas(64) std::array<std::byte, 64> b;
};

/// A multiply-add instruction.
struct MultiplyAdds {
  std::string name;
  Dtype dtype;                             // of the operands
  std::int64_t dots;                       // dot products in registers at once: a divisor of Peak::granule
  std::vector<std::string_view> features;  // that a CPU must have, named as by cpu_features()
  /// Returns the sum of the results of `dots` dot products of `steps` steps each, summed over `turns` turns.
  double (*sum)(const Vectors& vectors, std::int64_t turns, std::int64_t steps);
};

/// The instructions that this CPU has for operands of `dtype`, the widest first. Empty on CPUs other than
/// x86-64.
std::vector<MultiplyAdds> multiply_adds(Dtype dtype);

}  // namespace breakeven::native
