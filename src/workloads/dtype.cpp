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
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>((bits >> 24U) & 0x80U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | 0x7fU;
  if (magnitude >= 0x43e00000U) return sign | 0x7eU;  // 448, the largest, or more
  if (magnitude < 0x3c800000U) {                      // subnormal: float addition rounds at bit 2^-9
    const float shifted = std::bit_cast<float>(magnitude) + 0x1p14F;
    return sign | static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(shifted) - 0x46800000U);
  }
  const std::uint32_t rounded = magnitude + 0x7ffffU + ((magnitude >> 20U) & 1U);
  return sign | static_cast<std::uint8_t>((rounded - 0x3c000000U) >> 20U);
}

float from_f8e4m3(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7fU;
  if (magnitude == 0x7fU) return std::numeric_limits<float>::quiet_NaN();
  const float widened = magnitude < 8 ? static_cast<float>(magnitude) * 0x1p-9F
                                      : std::bit_cast<float>((magnitude << 20U) + 0x3c000000U);
  return (bits & 0x80U) != 0 ? -widened : widened;
}

float truncated_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU);
}

namespace {

/// A format of type T in memory that `widen` and `narrow` convert to and from double.
template <typename T, auto widen, auto narrow>
constexpr StoredFormat format(std::string_view name, double roundoff) {
  return {.name = name,
          .bytes = sizeof(T),
          .roundoff = roundoff,
          .load =
              [](const void* stored, std::int64_t first, std::int64_t count, double* values) {
                const auto* from = static_cast<const T*>(stored) + first;
                std::transform(from, from + count, values, [](T x) { return double{widen(x)}; });
              },
          .store =
              [](const double* values, std::int64_t count, void* stored, std::int64_t first) {
                std::transform(values, values + count, static_cast<T*>(stored) + first,
                               [](double x) -> T { return narrow(x); });
              }};
}

constexpr auto same = [](auto x) { return static_cast<double>(x); };
template <typename T>
constexpr auto rounded = [](double x) { return static_cast<T>(std::lrint(x)); };
/// By way of float, which is exact for what comes in: inputs are drawn as floats, and sums of them are
/// rounded once more at the most.
template <auto narrow>
constexpr auto from_double = [](double x) { return narrow(static_cast<float>(x)); };

std::vector<Dtype> those(bool (*has)(const DtypeFacts&)) {
  std::vector<Dtype> found;
  for (const DtypeFacts& row : dtype_table)
    if (has(row)) found.push_back(row.dtype);
  return found;
}

}  // namespace

namespace formats {
const StoredFormat f64 = format<double, same, [](double x) { return x; }>("f64", 0x1p-53);
const StoredFormat f32 = format<float, same, [](double x) { return static_cast<float>(x); }>("f32", 0x1p-24);
const StoredFormat f16 = format<std::uint16_t, from_f16, from_double<to_f16>>("f16", 0x1p-11);
const StoredFormat bf16 = format<std::uint16_t, from_bf16, from_double<to_bf16>>("bf16", 0x1p-8);
const StoredFormat f8e4m3 = format<std::uint8_t, from_f8e4m3, from_double<to_f8e4m3>>("f8e4m3", 0x1p-4);
const StoredFormat s8 = format<std::int8_t, same, rounded<std::int8_t>>("s8", 0);
const StoredFormat s32 = format<std::int32_t, same, rounded<std::int32_t>>("s32", 0);
}  // namespace formats

std::vector<Dtype> all_dtypes() {
  return those([](const DtypeFacts&) { return true; });
}
std::vector<Dtype> dtypes_of_convolutions() {
  return those([](const DtypeFacts& row) { return row.in_convolutions; });
}
std::vector<Dtype> dtypes_of_networks() {
  return those([](const DtypeFacts& row) { return row.in_networks; });
}

double read_output(Dtype dtype, const void* data, std::int64_t index) {
  double value = 0;
  facts(dtype).output.load(data, index, 1, &value);
  return value;
}

void poison_output(Dtype dtype, void* data, std::int64_t count) {
  if (facts(dtype).is_integer()) {
    std::fill_n(static_cast<std::int32_t*>(data), count, std::numeric_limits<std::int32_t>::min());
  } else {  // all bits set is a NaN in every float format
    std::memset(data, 0xff, static_cast<std::size_t>(count) * output_bytes(dtype));
  }
}

}  // namespace breakeven
