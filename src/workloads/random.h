// The numbers that every backend computes with. The generator is counter-based, so that any element can be
// generated individually, in any order, in any language, from (seed, stream, index).
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven {

/// The numbers of the streams. A backend in another language needs only these.
namespace stream {
inline constexpr std::uint64_t first_operand = 0;    // matmul A; conv2d source
inline constexpr std::uint64_t second_operand = 1;   // matmul B; conv2d weights
inline constexpr std::uint64_t output_gradient = 2;  // conv2d, backward passes
inline constexpr std::uint64_t elements = 90;        // which elements of a result are checked individually
inline constexpr std::uint64_t position_signs = 100;
inline constexpr std::uint64_t channel_signs = 101;
inline constexpr std::uint64_t parameters = 1000;   // + index of the parameter tensor
inline constexpr std::uint64_t batch_order = 2000;  // + epoch
}  // namespace stream

/// The output function of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators,
/// OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

/// One stream of 64-bit numbers; element i is the i-th output of SplitMix64 seeded with the stream's key.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : key_(mix(seed + golden * (stream + 1))) {}
  constexpr std::uint64_t bits(std::uint64_t index) const { return mix(key_ + golden * (index + 1)); }
  /// A number uniform in [-1, 1) on a grid of 2^-23, so exact in f32.
  constexpr float uniform(std::uint64_t index) const {
    return static_cast<float>(static_cast<std::int64_t>(bits(index) >> 40U) - (std::int64_t{1} << 23U)) *
           0x1p-23F;
  }
  /// An integer uniform in [-64, 63]: seven bits, because CPUs without VNNI add pairs of 8-bit products in 16
  /// bits and saturate beyond that (oneDNN developer guide, "Nuances of int8 computations").
  constexpr std::int8_t small_integer(std::uint64_t index) const {
    return static_cast<std::int8_t>(static_cast<int>(bits(index) >> 57U) - 64);
  }
  /// -1 or +1.
  constexpr double sign(std::uint64_t index) const { return (bits(index) >> 63U) != 0 ? 1.0 : -1.0; }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t key_;
};

/// Writes `count` input elements of `dtype`, as stored, to `data`.
void fill_inputs(Dtype dtype, void* data, std::int64_t count, const RandomStream& numbers);

/// Writes the values of input elements `first` to `first + count - 1`, rounded to `dtype` as fill_inputs()
/// stores them.
void read_inputs(Dtype dtype, const RandomStream& numbers, std::int64_t first, std::int64_t count,
                 double* values);
/// The same in a vector.
std::vector<double> input_values(Dtype dtype, const RandomStream& numbers, std::int64_t first,
                                 std::int64_t count);
/// The value of one input element.
double input_value(Dtype dtype, const RandomStream& numbers, std::int64_t index);

/// The order of `count` rows in an epoch: the indices sorted by the stream's 64-bit numbers.
std::vector<std::uint32_t> shuffled_indices(std::uint32_t count, const RandomStream& numbers);

}  // namespace breakeven
