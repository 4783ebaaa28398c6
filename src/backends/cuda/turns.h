// Operands that rotate (workloads/rotation.h): equal sets of them, one behind the other in the device's
// memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace breakeven::cuda {

/// Two operands and a result, `sets` times: how many bytes lie between a set's and the next one's.
struct Turns {
  std::int64_t sets = 1;
  std::int64_t first_step = 0, second_step = 0, output_step = 0;
  std::int64_t set = 0;  // whose turn it is

  void next() { set = set + 1 == sets ? 0 : set + 1; }
  const void* first(const void* of_first_set) const { return at(of_first_set, first_step); }
  const void* second(const void* of_first_set) const { return at(of_first_set, second_step); }
  void* output(void* of_first_set) const { return static_cast<std::byte*>(of_first_set) + set * output_step; }

 private:
  const void* at(const void* of_first_set, std::int64_t step) const {
    return static_cast<const std::byte*>(of_first_set) + set * step;
  }
};

}  // namespace breakeven::cuda
