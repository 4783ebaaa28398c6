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
#include <span>
#include <stdexcept>
#include <type_traits>

namespace emulated {

/// Calls visit(T{}), where T is the C++ type of an element.
template <typename Visit>
auto with_type(cudaDataType_t type, const Visit& visit) {
  switch (type) {
    case CUDA_R_64F:
      return visit(double{});
    case CUDA_R_32F:
      return visit(float{});
    case CUDA_R_32I:
      return visit(std::int32_t{});
    case CUDA_R_16F:
      return visit(__half{});
    case CUDA_R_16BF:
      return visit(__nv_bfloat16{});
    case CUDA_R_8I:
      return visit(std::int8_t{});
    case CUDA_R_8F_E4M3:
      return visit(__nv_fp8_e4m3{});
    default:
      throw std::logic_error("a type that breakeven does not use");
  }
}

inline std::size_t bytes_of(cudaDataType_t type) {
  return with_type(type, [](auto one) { return sizeof one; });
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

/// Elements of an array, from `first` on, as many as there are values.
inline void load_all(cudaDataType_t type, const void* memory, std::int64_t first, std::span<double> values) {
  with_type(type, [&](auto one) {
    using T = decltype(one);
    for (double& value : values) {
      if constexpr (std::is_arithmetic_v<T>) {
        value = static_cast<double>(element<T>(memory, first++));
      } else {
        value = static_cast<double>(static_cast<float>(element<T>(memory, first++)));
      }
    }
  });
}
inline void store_all(cudaDataType_t type, void* memory, std::int64_t first, std::span<const double> values) {
  with_type(type, [&](auto one) {
    using T = decltype(one);
    for (const double value : values) {
      if constexpr (sizeof(T) == 1) {
        throw std::logic_error("a type that no result of breakeven's has");
      } else if constexpr (std::is_arithmetic_v<T>) {
        set_element(memory, first++, static_cast<T>(value));
      } else {
        set_element(memory, first++, T(static_cast<float>(value)));
      }
    }
  });
}
inline double load(cudaDataType_t type, const void* memory, std::int64_t i) {
  double value = 0;
  load_all(type, memory, i, {&value, 1});
  return value;
}
inline void store(cudaDataType_t type, void* memory, std::int64_t i, double value) {
  store_all(type, memory, i, {&value, 1});
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

/// sums[i] = row i of `rows` times `with`, both `length` long; the rows are stored one after another. Four
/// rows at a time: their sums do not wait for each other.
EMULATED_UNSANITIZED inline void sums_of_products(const double* rows, std::int64_t count, const double* with,
                                                  std::int64_t length, double* sums) {
  std::int64_t row = 0;
  for (; row + 4 <= count; row += 4, rows += 4 * length) {
    double first = 0;
    double second = 0;
    double third = 0;
    double fourth = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      first += rows[i] * with[i];
      second += rows[length + i] * with[i];
      third += rows[2 * length + i] * with[i];
      fourth += rows[3 * length + i] * with[i];
    }
    sums[row] = first;
    sums[row + 1] = second;
    sums[row + 2] = third;
    sums[row + 3] = fourth;
  }
  for (; row < count; ++row, rows += length) {
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += rows[i] * with[i];
    sums[row] = sum;
  }
}

/// Adds the sum of factors[i] times row i to `to`, four rows at a time.
EMULATED_UNSANITIZED inline void add_combination(const double* rows, std::int64_t count,
                                                 const double* factors, std::int64_t length, double* to) {
  std::int64_t row = 0;
  for (; row + 4 <= count; row += 4, rows += 4 * length) {
    for (std::int64_t i = 0; i < length; ++i)
      to[i] += factors[row] * rows[i] + factors[row + 1] * rows[length + i] +
               factors[row + 2] * rows[2 * length + i] + factors[row + 3] * rows[3 * length + i];
  }
  for (; row < count; ++row, rows += length) {
    for (std::int64_t i = 0; i < length; ++i) to[i] += factors[row] * rows[i];
  }
}

/// to += factor from
EMULATED_UNSANITIZED inline void add_scaled(const double* from, double factor, double* to,
                                            std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

}  // namespace emulated
