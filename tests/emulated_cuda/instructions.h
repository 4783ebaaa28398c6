// Matrix instructions that kernels contain as text, as translate.py calls them.
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

/// Executes a thread's part of an instruction, which is done when all threads have reached it. Register names
/// count from the results on. Aborts the program if the instruction is unknown, if not all threads reach it,
/// or if they disagree. Asynchronous instructions are executed as late as possible, when they are waited for.
void execute(const char* instruction, std::span<const Register> results, std::span<const Register> operands);

/// The address by which matrix instructions refer to shared memory. Valid for the last three requested.
std::uint32_t shared_address(const void* memory);

}  // namespace emulated
