#include "workloads/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace breakeven {

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const auto& row : dtype_table) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | 0x7e00U;
  if (magnitude >= 0x477ff000U) return sign | 0x7c00U;  // rounds to 65536 or more
  if (magnitude < 0x38800000U) {                        // subnormal: float addition rounds at bit 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U);
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13U) & 1U);
  return sign | static_cast<std::uint16_t>((rounded - 0x38000000U) >> 13U);
}

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t widened = exponent == 31 ? 0x7f800000U : (exponent + 112U) << 23U;
  return std::bit_cast<float>(sign | widened | (fraction << 13U));
}

std::uint8_t to_f8e4m3(float value) {
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80U : 0U);
  if (std::isnan(value)) return sign | 0x7fU;
  const float magnitude = std::min(std::abs(value), 448.0F);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The distance between E4M3 numbers near the magnitude; 2^-9 in the subnormal range.
  const int spacing = std::max(exponent - 4, -9);
  const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, -spacing)));
  const unsigned code = (static_cast<unsigned>(spacing + 9) << 3U) + steps;
  return sign | static_cast<std::uint8_t>(code);
}

float from_f8e4m3(std::uint8_t bits) {
  const unsigned exponent = (bits >> 3U) & 0xfU;
  const unsigned fraction = bits & 0x7U;
  if (exponent == 15 && fraction == 7) return std::numeric_limits<float>::quiet_NaN();
  const float magnitude =
      exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                    : std::ldexp(static_cast<float>(8U + fraction), static_cast<int>(exponent) - 10);
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

float truncated_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU);
}

namespace {

template <typename T>
T load(const void* data, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

}  // namespace

double read_output(Dtype dtype, const void* data, std::int64_t index) {
  switch (dtype) {
    case Dtype::f64:
      return load<double>(data, index);
    case Dtype::f32:
    case Dtype::tf32:
      return load<float>(data, index);
    case Dtype::f16:
      return from_f16(load<std::uint16_t>(data, index));
    case Dtype::bf16:
    case Dtype::f8e4m3:
      return from_bf16(load<std::uint16_t>(data, index));
    case Dtype::s8:
      return load<std::int32_t>(data, index);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void poison_output(Dtype dtype, void* data, std::int64_t count) {
  if (dtype == Dtype::s8) {
    std::fill_n(static_cast<std::int32_t*>(data), count, std::numeric_limits<std::int32_t>::min());
  } else {  // all bits set is a NaN in every float format
    std::memset(data, 0xff, static_cast<std::size_t>(count) * output_bytes(dtype));
  }
}

}  // namespace breakeven
