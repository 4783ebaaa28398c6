// Collective operations: arrays that ranks exchange.
#pragma once

#include "workloads/bandwidth.h"
#include "workloads/random.h"

namespace breakeven {

/// A collective operation on data of `array.bytes` bytes, as nccl-tests count them: the values of each rank
/// (all_reduce), what every rank receives from all (all_gather), or what one sends to all (broadcast).
struct Collective {
  std::int64_t ranks = 2;
  Bandwidth array;

  explicit Collective(const Parameters& parameters);
  /// Values of each rank before an all_gather.
  std::int64_t elements_of_rank() const { return array.elements() / ranks; }
  /// The rank whose data a broadcast copies: the last one, so that rank 0, whose result is shown, receives.
  int root() const { return static_cast<int>(ranks) - 1; }
  /// Input `i` of a rank.
  double input(const RandomStream& numbers, std::int64_t rank, std::int64_t i) const {
    return input_value(array.dtype, numbers, rank * array.elements() + i);
  }
};

}  // namespace breakeven
