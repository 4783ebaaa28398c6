#include "backends/onednn/loops.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven::onednn {
namespace {

/// The bits of a number in each of the two formats.
HalfBits bf16(float x) {
  return static_cast<HalfBits>(to_bf16(x));
}
HalfBits f16(float x) {
  return static_cast<HalfBits>(to_f16(x));
}

/// Numbers in ascending order, with the largest and smallest of both formats.
const std::vector<float>& ascending() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> values{-infinity, -65504.0F, -3.0F,    -1.0F,    -0.5F,    -0x1p-14F,
                                         -0x1p-24F, -0.0F,     0.0F,     0x1p-24F, 0x1p-14F, 0.5F,
                                         1.0F,      3.0F,      65504.0F, infinity};
  return values;
}

TEST(HalfBits, AreInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i + 1 < ascending().size(); ++i) {
    const float smaller = ascending()[i];
    const float larger = ascending()[i + 1];
    EXPECT_LT(in_order(bf16(smaller)), in_order(bf16(larger))) << smaller << " and " << larger;
    EXPECT_LT(in_order(f16(smaller)), in_order(f16(larger))) << smaller << " and " << larger;
  }
}

TEST(HalfBits, ArePositiveWhereTheirNumberIs) {
  for (const float value : ascending()) {
    EXPECT_EQ(bf16(value) > 0, value > 0) << value;
    EXPECT_EQ(f16(value) > 0, value > 0) << value;
  }
}

}  // namespace
}  // namespace breakeven::onednn
