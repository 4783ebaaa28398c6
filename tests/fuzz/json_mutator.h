// Mutations for fuzzers whose inputs are JSON: of values and members as well as bytes, because mutated bytes
// are seldom valid JSON. A fuzzer includes this in its only source file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "unit/mutations.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  breakeven::mutations::Random random(seed);
  if (breakeven::mutations::pick(3, random) == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed =
      breakeven::mutations::mutated_json({reinterpret_cast<const char*>(data), size}, random);
  if (changed.empty() || changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
