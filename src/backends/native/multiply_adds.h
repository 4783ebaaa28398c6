// A CPU's multiply-add instructions at full rate: loops that touch nothing but registers, one for each
// instruction that does it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven::native {

/// Two vectors to multiply, in the type that an instruction takes.
struct Vectors {
  alignas(64) std::array<std::byte, 64> a;
  alignas(64) std::array<std::byte, 64> b;
};

/// One instruction.
struct MultiplyAdds {
  std::string name;
  Dtype dtype;        // of its operands
  std::int64_t dots;  // that it has in registers at once: a divisor of Peak::granule
  bool (*works)();    // here
  /// The sum of all results of `dots` dot products, `steps` times, `turns` times.
  double (*sum)(const Vectors& vectors, std::int64_t turns, std::int64_t steps);
};

/// Those that this CPU has for operands of `dtype`, the widest first. None on CPUs other than x86-64.
std::vector<MultiplyAdds> multiply_adds(Dtype dtype);

}  // namespace breakeven::native
