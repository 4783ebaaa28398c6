#include "workloads/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace breakeven {
namespace {

// The first outputs of SplitMix64 with seed 0, from its authors' reference program.
TEST(Random, MixIsSplitMix64) {
  EXPECT_EQ(mix(0x9e3779b97f4a7c15ULL), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix(2 * 0x9e3779b97f4a7c15ULL), 0x6e789e6aa1b965f4ULL);
}

TEST(Random, UniformCoversItsInterval) {
  const RandomStream numbers(1, stream::first_operand);
  double sum = 0;
  double squares = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = numbers.uniform(static_cast<std::uint64_t>(i));
    ASSERT_GE(x, -1.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0.0, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3.0, 0.01);
}

TEST(Random, StreamsAndSeedsDiffer) {
  EXPECT_NE(RandomStream(1, 0).bits(0), RandomStream(1, 1).bits(0));
  EXPECT_NE(RandomStream(1, 0).bits(0), RandomStream(2, 0).bits(0));
}

TEST(Random, FilledInputsAreTheValuesOfTheirIndices) {
  const RandomStream numbers(7, stream::second_operand);
  std::vector<std::uint16_t> bf16(1000);
  fill_inputs(Dtype::bf16, bf16.data(), 1000, numbers);
  for (std::size_t i = 0; i < bf16.size(); ++i) {
    EXPECT_EQ(from_bf16(bf16[i]), input_value(Dtype::bf16, numbers, static_cast<std::int64_t>(i)));
  }
}

TEST(Random, RangesOfInputsAreTheValuesOfTheirIndices) {
  const RandomStream numbers(7, stream::second_operand);
  for (const Dtype dtype : all_dtypes()) {
    for (const std::int64_t count : {0, 1, 255, 256, 257, 600}) {
      const auto values = input_values(dtype, numbers, 11, count);
      ASSERT_EQ(std::ssize(values), count);
      for (std::int64_t i = 0; i < count; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], input_value(dtype, numbers, 11 + i)) << name(dtype);
    }
  }
}

TEST(Random, ShuffledIndicesAreAPermutation) {
  auto order = shuffled_indices(1000, RandomStream(1, stream::batch_order));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> all(1000);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(order, all);
}

TEST(Random, ShuffledIndicesAreSortedByTheirNumbers) {
  for (const std::uint32_t count : {0U, 1U, 2U, 7U, 60'000U}) {
    const RandomStream numbers(5, stream::batch_order);
    const auto order = shuffled_indices(count, numbers);
    EXPECT_EQ(order.size(), count);
    const auto by_number = [&](std::uint32_t a, std::uint32_t b) {
      return numbers.bits(a) < numbers.bits(b);
    };
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), by_number)) << count;
  }
}

}  // namespace
}  // namespace breakeven
