// The element types of matrices and tensors.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <library_types.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace emulated {

inline std::size_t bytes_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
      return 1;
    default:
      throw std::logic_error("a type that breakeven does not use");
  }
}

template <typename T>
T element(const void* memory, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(memory) + i * static_cast<std::int64_t>(sizeof(T)),
              sizeof value);
  return value;
}
template <typename T>
void set_element(void* memory, std::int64_t i, T value) {
  std::memcpy(static_cast<std::byte*>(memory) + i * static_cast<std::int64_t>(sizeof(T)), &value,
              sizeof value);
}

inline double load(cudaDataType_t type, const void* memory, std::int64_t i) {
  switch (type) {
    case CUDA_R_64F:
      return element<double>(memory, i);
    case CUDA_R_32F:
      return static_cast<double>(element<float>(memory, i));
    case CUDA_R_32I:
      return element<std::int32_t>(memory, i);
    case CUDA_R_16F:
      return static_cast<double>(__half2float(element<__half>(memory, i)));
    case CUDA_R_16BF:
      return static_cast<double>(__bfloat162float(element<__nv_bfloat16>(memory, i)));
    case CUDA_R_8I:
      return element<std::int8_t>(memory, i);
    default:
      return static_cast<double>(static_cast<float>(element<__nv_fp8_e4m3>(memory, i)));
  }
}

inline void store(cudaDataType_t type, void* memory, std::int64_t i, double value) {
  switch (type) {
    case CUDA_R_64F:
      return set_element(memory, i, value);
    case CUDA_R_32F:
      return set_element(memory, i, static_cast<float>(value));
    case CUDA_R_32I:
      return set_element(memory, i, static_cast<std::int32_t>(value));
    case CUDA_R_16F:
      return set_element(memory, i, __float2half_rn(static_cast<float>(value)));
    case CUDA_R_16BF:
      return set_element(memory, i, __float2bfloat16_rn(static_cast<float>(value)));
    default:
      throw std::logic_error("a type that no result of breakeven's has");
  }
}

/// Converts as tensor cores do: keeps the ten highest bits of the fraction, without rounding.
inline double truncated_to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value)) & ~0x1fffU;
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// Disables sanitizers in a loop that takes most of the time. Its bounds are those of vectors, and the memory
/// of a product is checked when it is requested (will_touch).
#ifdef __clang__
#define EMULATED_UNSANITIZED __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define EMULATED_UNSANITIZED
#endif

/// A loop that compilers vectorise, unlike std::transform_reduce.
EMULATED_UNSANITIZED inline double sum_of_products(const double* a, const double* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// to += factor from
EMULATED_UNSANITIZED inline void add_scaled(const double* from, double factor, double* to,
                                            std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

}  // namespace emulated
