// Element types: their names, sizes, precision, and the conversions that give every backend the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace breakeven {

enum class Dtype { f64, f32, tf32, f16, bf16, f8e4m3, s8 };

/// The properties of one element type. `tf32` is stored as f32 and multiplied with ten fraction bits.
struct DtypeFacts {
  Dtype dtype;
  std::string_view name;
  std::size_t bytes;            // of one stored input element
  double unit_roundoff;         // of an input when multiplied; 0 if products are exact integers
  double accumulator_roundoff;  // of the running sum: f32 for every float of lower precision than f64
  std::string_view output;      // name of the element type in which a result is stored
  double output_roundoff;       // of storing one result
};

/// One row per dtype, in the order of the enumeration. Unit roundoff is 2^-p for p significant bits
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 2.1; f8e4m3: OCP 8-bit
/// Floating Point Specification 1.0). Products of bf16 and f16 are stored in their own type as the frameworks
/// do, of f8e4m3 in bf16, of s8 in s32.
inline constexpr std::array<DtypeFacts, 7> dtype_table{{
    {Dtype::f64, "f64", 8, 0x1p-53, 0x1p-53, "f64", 0x1p-53},
    {Dtype::f32, "f32", 4, 0x1p-24, 0x1p-24, "f32", 0x1p-24},
    {Dtype::tf32, "tf32", 4, 0x1p-11, 0x1p-24, "f32", 0x1p-24},
    {Dtype::f16, "f16", 2, 0x1p-11, 0x1p-24, "f16", 0x1p-11},
    {Dtype::bf16, "bf16", 2, 0x1p-8, 0x1p-24, "bf16", 0x1p-8},
    {Dtype::f8e4m3, "f8e4m3", 1, 0x1p-4, 0x1p-24, "bf16", 0x1p-8},
    {Dtype::s8, "s8", 1, 0.0, 0.0, "s32", 0.0},
}};

constexpr const DtypeFacts& facts(Dtype dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view name(Dtype dtype) {
  return facts(dtype).name;
}
/// Bytes of one stored result element of a product or convolution with inputs of `dtype`.
constexpr std::size_t output_bytes(Dtype dtype) {
  return dtype == Dtype::s8 ? 4 : dtype == Dtype::f8e4m3 ? 2 : facts(dtype).bytes;
}

std::optional<Dtype> parse_dtype(std::string_view name);

/// Converts to bfloat16 and IEEE half precision, as stored, and back. Rounds to nearest, ties to even.
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);
std::uint16_t to_f16(float value);
float from_f16(std::uint16_t bits);
/// Converts to OCP E4M3 and back. It has no infinities; its largest finite value is 448, and larger
/// magnitudes saturate.
std::uint8_t to_f8e4m3(float value);
float from_f8e4m3(std::uint8_t bits);

/// Converts an f32 operand as NVIDIA's tensor cores do when they read it in tf32: keeps the ten highest bits
/// of the fraction, without rounding.
float truncated_to_tf32(float value);

/// Reads element `index` of a result as a double. `dtype` is that of the inputs, so the result is s32 for s8
/// and bf16 for f8e4m3.
double read_output(Dtype dtype, const void* data, std::int64_t index);

/// Fills a result with NaN (floats) or the most negative integer, so that elements that are never written are
/// detected.
void poison_output(Dtype dtype, void* data, std::int64_t count);

}  // namespace breakeven
