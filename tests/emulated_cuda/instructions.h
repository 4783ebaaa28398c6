// Instructions that kernels name themselves, as translate.py calls them: those that multiply matrices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace emulated {

struct Register {
  void* at = nullptr;
  std::size_t bytes = 0;
};

template <typename... T>
std::array<Register, sizeof...(T)> registers(T&... values) {
  return {Register{const_cast<void*>(static_cast<const void*>(&values)), sizeof values}...};
}

/// A thread's part of it: it is done when all that it takes have come to it. Names of registers count from
/// the results on. Ends the program where nothing is known of it, where not all come, or where they disagree.
/// Asynchronous ones are done as late as they may be, when they are waited for.
void execute(const char* instruction, std::span<const Register> results, std::span<const Register> operands);

/// What matrix instructions call a place in the block's shared memory: of the last three that were asked for.
std::uint32_t shared_address(const void* memory);

}  // namespace emulated
