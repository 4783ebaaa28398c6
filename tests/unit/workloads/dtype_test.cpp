#include "workloads/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace breakeven {
namespace {

TEST(Dtype, TableIsInTheOrderOfTheEnumeration) {
  for (const auto& row : dtype_table) EXPECT_EQ(&facts(row.dtype), &row);
}

TEST(Dtype, NamesRoundTrip) {
  for (const auto& row : dtype_table) EXPECT_EQ(parse_dtype(row.name), row.dtype);
  EXPECT_FALSE(parse_dtype("f33"));
}

TEST(Dtype, EveryStoredNumberSurvivesARoundTrip) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!std::isnan(from_f16(half))) {
      EXPECT_EQ(to_f16(from_f16(half)), half);
    }
    if (!std::isnan(from_bf16(half))) {
      EXPECT_EQ(to_bf16(from_bf16(half)), half);
    }
  }
  for (std::uint32_t bits = 0; bits <= 0xff; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    if (!std::isnan(from_f8e4m3(byte))) {
      EXPECT_EQ(to_f8e4m3(from_f8e4m3(byte)), byte) << bits;
    }
  }
}

TEST(Dtype, RoundsToNearestTiesToEven) {
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1p-8F)), 1.0F);              // a tie, to even
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1.8p-7F)), 1.0F + 0x1p-6F);  // a tie, to even
  EXPECT_EQ(from_f16(to_f16(1.0F + 0x1p-11F)), 1.0F);
  EXPECT_EQ(from_f16(to_f16(1.0F + 0x1.8p-10F)), 1.0F + 0x1p-9F);
  EXPECT_EQ(from_f16(to_f16(0x1p-25F)), 0.0F);
  EXPECT_EQ(from_f16(to_f16(0x1.8p-25F)), 0x1p-24F);
  EXPECT_EQ(from_f16(to_f16(65520.0F)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(from_f8e4m3(to_f8e4m3(1.0F + 0x1p-4F)), 1.0F);
  EXPECT_EQ(from_f8e4m3(to_f8e4m3(1e9F)), 448.0F);
}

/// E4M3 by its definition: the multiple of the distance between its numbers that is nearest, ties to even.
float nearest_f8e4m3(float value) {
  const float magnitude = std::min(std::abs(value), 448.0F);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int spacing = magnitude == 0 ? -9 : std::max(exponent - 4, -9);
  return std::copysign(std::ldexp(std::nearbyint(std::ldexp(magnitude, -spacing)), spacing), value);
}

TEST(Dtype, RoundsToTheNearestF8) {
  constexpr std::uint32_t step = 0x3fff;  // odd, so that all low bits occur
  for (std::uint64_t bits = 0; bits <= 0xffffffffU; bits += step) {
    // With the low bits of ties, and of what is next to them.
    for (const std::uint32_t low :
         {static_cast<std::uint32_t>(bits) & 0xfffffU, 0U, 0x7ffffU, 0x80000U, 0x80001U}) {
      const auto value = std::bit_cast<float>((static_cast<std::uint32_t>(bits) & ~0xfffffU) | low);
      const float rounded = from_f8e4m3(to_f8e4m3(value));
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(rounded)) << bits;
      } else {
        ASSERT_EQ(rounded, nearest_f8e4m3(value)) << value;
        ASSERT_EQ(std::signbit(rounded), std::signbit(value)) << value;
      }
    }
  }
}

TEST(Dtype, PoisonIsNaNInEveryFloat) {
  for (const auto& row : dtype_table) {
    double storage[2] = {0, 0};
    poison_output(row.dtype, storage, 2);
    const double value = read_output(row.dtype, storage, 1);
    if (row.dtype == Dtype::s8) {
      EXPECT_EQ(value, std::numeric_limits<std::int32_t>::min());
    } else {
      EXPECT_TRUE(std::isnan(value)) << row.name;
    }
  }
}

}  // namespace
}  // namespace breakeven
