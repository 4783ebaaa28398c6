// The part of one thread in measuring a device's arithmetic rate. The unit tests run it on the CPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "backends/cuda/kernels/host_device.h"

namespace breakeven::cuda {

/// The number of pieces, out of `pieces`, for one of `workers` workers. The numbers differ by at most one.
BREAKEVEN_HOST_DEVICE inline std::int64_t share_of(std::int64_t pieces, std::int64_t workers,
                                                   std::int64_t worker) {
  return pieces / workers + (worker < pieces % workers ? 1 : 0);
}

/// Hides a value from the compiler, which then knows neither the value nor that another variable has the
/// same.
template <typename T>
BREAKEVEN_HOST_DEVICE T opaque(T value) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("" : "+f"(value));
  } else if constexpr (std::is_same_v<T, double>) {
    asm volatile("" : "+d"(value));
  } else {
    static_assert(std::is_same_v<T, int>);
    asm volatile("" : "+r"(value));
  }
#endif
  return value;
}

/// A thread's dot products of two vectors of 64 bytes, with fused multiply-adds: enough independent ones to
/// hide an instruction's latency.
template <typename T>
struct FmaUnit {
  static constexpr int dots = 12;
  static constexpr int length = 64 / static_cast<int>(sizeof(T));
  T a[length], b[length], sums[dots];

  BREAKEVEN_HOST_DEVICE FmaUnit(const T* first, const T* second) {
    for (int k = 0; k < length; ++k) {
      a[k] = first[k];
      b[k] = second[k];
    }
  }
  BREAKEVEN_HOST_DEVICE void clear() {
    for (T& sum : sums) sum = opaque(T{0});
  }
  /// Adds each product to each sum, in one instruction. From a product and a sum the compiler would compute
  /// the product once, because it does not change, and then only add.
  BREAKEVEN_HOST_DEVICE void add() {
    BREAKEVEN_UNROLL(64)
    for (int k = 0; k < length; ++k) {
      BREAKEVEN_UNROLL(64)
      for (int i = 0; i < dots; ++i) sums[i] = std::fma(a[k], b[k], sums[i]);
    }
  }
  BREAKEVEN_HOST_DEVICE double sum() const {
    double all = 0;
    for (const T one : sums) all += static_cast<double>(one);
    return all;
  }
};

/// The work of one worker: its share of the pieces, in runs of at most `steps`. Sums are cleared between
/// runs.
template <typename Unit>
BREAKEVEN_HOST_DEVICE double accumulate_share(Unit& unit, std::int64_t share, std::int64_t steps) {
  double sum = 0;
  while (share > 0) {
    const std::int64_t turn = share < steps ? share : steps;
    unit.clear();
    BREAKEVEN_UNROLL(2)
    for (std::int64_t step = 0; step < turn; ++step) unit.add();
    sum += unit.sum();
    share -= turn;
  }
  return sum;
}

// Operands of Hopper's matrix instructions in shared memory: matrices of 8 rows of 16 bytes, without
// swizzling. The same 16 bytes of all rows are stored contiguously (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Shared Memory Layout").

inline constexpr int core_rows = 8, core_row_bytes = 16, core_bytes = core_rows * core_row_bytes;

/// The offset of byte `byte` of row `row` in an operand of `rows` rows.
BREAKEVEN_HOST_DEVICE inline int operand_place(int row, int byte, int rows) {
  const int column = byte / core_row_bytes;
  return (column * (rows / core_rows) + row / core_rows) * core_bytes + row % core_rows * core_row_bytes +
         byte % core_row_bytes;
}

/// The descriptor of an operand: its address, and the distances to the next 16 bytes of a row and to the next
/// 8 rows.
BREAKEVEN_HOST_DEVICE inline std::uint64_t operand_descriptor(std::uint32_t address, int rows) {
  const auto encoded = [](std::uint32_t bytes) { return std::uint64_t{(bytes & 0x3FFFFU) >> 4U}; };
  const auto next_column = static_cast<std::uint32_t>(rows / core_rows * core_bytes);
  return encoded(address) | encoded(next_column) << 16U | encoded(core_bytes) << 32U;
}

}  // namespace breakeven::cuda
