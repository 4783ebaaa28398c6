// Element types: their names, sizes, precision, and the conversions that give every backend the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace breakeven {

enum class Dtype { f64, f32, tf32, f16, bf16, f8e4m3, s8 };

/// How a number is stored. `load` and `store` convert `count` elements, of which the first is element `first`
/// in memory; `store` rounds to nearest, ties to even.
struct StoredFormat {
  std::string_view name;
  std::size_t bytes;  // of one element
  double roundoff;    // of storing one; 0 for an integer
  void (*load)(const void* stored, std::int64_t first, std::int64_t count, double* values);
  void (*store)(const double* values, std::int64_t count, void* stored, std::int64_t first);
};

namespace formats {
extern const StoredFormat f64, f32, f16, bf16, f8e4m3, s8, s32;
}

/// The properties of one element type. `tf32` is stored as f32 and multiplied with ten fraction bits.
struct DtypeFacts {
  Dtype dtype;
  std::string_view name;
  const StoredFormat& input;
  double unit_roundoff;             // of an input when multiplied; 0 if products are exact integers
  const StoredFormat& accumulator;  // the running sum: f32 for every float of lower precision than f64
  const StoredFormat& output;       // of a product or convolution
  bool in_convolutions = false;
  bool in_networks = false;
  /// Tensor cores have accumulators of fewer bits for it, which are faster (parameter `fast_accumulation`).
  bool has_short_accumulators = false;

  std::size_t bytes() const { return input.bytes; }
  bool is_integer() const { return unit_roundoff == 0; }
  /// True if a device rounds stored inputs before it multiplies them.
  bool rounds_inputs() const { return unit_roundoff > input.roundoff; }
};

/// One row per dtype, in the order of the enumeration: what workloads, the reference backend and verification
/// know of it. Unit roundoff is 2^-p for p significant bits (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 2.1; f8e4m3: OCP 8-bit Floating Point Specification 1.0). Products of bf16
/// and f16 are stored in their own type as the frameworks do, of f8e4m3 in bf16, of s8 in s32.
inline constexpr std::array dtype_table{
    DtypeFacts{Dtype::f64, "f64", formats::f64, 0x1p-53, formats::f64, formats::f64, true, false},
    DtypeFacts{Dtype::f32, "f32", formats::f32, 0x1p-24, formats::f32, formats::f32, true, true},
    DtypeFacts{Dtype::tf32, "tf32", formats::f32, 0x1p-11, formats::f32, formats::f32, true, true},
    DtypeFacts{Dtype::f16, "f16", formats::f16, 0x1p-11, formats::f32, formats::f16, true, true},
    DtypeFacts{Dtype::bf16, "bf16", formats::bf16, 0x1p-8, formats::f32, formats::bf16, true, true},
    DtypeFacts{Dtype::f8e4m3, "f8e4m3", formats::f8e4m3, 0x1p-4, formats::f32, formats::bf16, false, false,
               true},
    DtypeFacts{Dtype::s8, "s8", formats::s8, 0, formats::s32, formats::s32, true, false},
};

constexpr const DtypeFacts& facts(Dtype dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view name(Dtype dtype) {
  return facts(dtype).name;
}

/// Returns the dtypes that products, convolutions and networks have.
std::vector<Dtype> all_dtypes();
std::vector<Dtype> dtypes_of_convolutions();
std::vector<Dtype> dtypes_of_networks();

/// Bytes of one stored result element of a product or convolution with inputs of `dtype`.
inline std::size_t output_bytes(Dtype dtype) {
  return facts(dtype).output.bytes;
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

/// Reads element `index` of a result. `dtype` is that of the inputs.
double read_output(Dtype dtype, const void* data, std::int64_t index);

/// Fills a result with NaN (floats) or the most negative integer, so that elements that are never written are
/// detected.
void poison_output(Dtype dtype, void* data, std::int64_t count);

}  // namespace breakeven
