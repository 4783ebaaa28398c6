#include "network/gradient_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// One of two ranks with equal values: sums are twice its own. Notes which part each call adds up.
class EqualRanks final : public Sums {
 public:
  explicit EqualRanks(const float* first) : first_(first) {}
  void sum(float* values, std::int64_t count) override { add(whole, values, count); }
  void sum_in_order(float* values, std::int64_t count) override { add(in_order, values, count); }
  void start_sum(float* values, std::int64_t count) override { add(started, values, count); }
  void advance_sums() override {}
  void finish_sums() override { ++finished; }

  using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;  // first, count
  Parts whole, in_order, started;
  int finished = 0;

 private:
  void add(Parts& parts, float* values, std::int64_t count) {
    parts.emplace_back(values - first_, count);
    for (std::int64_t i = 0; i < count; ++i) values[i] *= 2;
  }
  const float* first_;
};

constexpr std::int64_t bucket = 1 << 18;

std::vector<float> gradients_of(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

std::vector<float> doubled(std::vector<float> values) {
  for (float& value : values) value *= 2;
  return values;
}

TEST(GradientExchange, BucketsStartAsSoonAsTheyAreFull) {
  auto gradients = gradients_of(3 * bucket);
  EqualRanks ranks(gradients.data());
  GradientExchange exchange(ranks, {}, gradients.data(), std::ssize(gradients));
  exchange.ready_from(5 * bucket / 2);  // half a bucket
  EXPECT_TRUE(ranks.started.empty());
  exchange.ready_from(2 * bucket);
  exchange.ready_from(bucket / 2);
  exchange.ready_from(0);
  EXPECT_THAT(ranks.started, ElementsAre(Pair(2 * bucket, bucket), Pair(bucket / 2, 3 * bucket / 2)));
  exchange.finish();
  EXPECT_THAT(ranks.started.back(), Pair(0, bucket / 2));
  EXPECT_EQ(gradients, doubled(gradients_of(3 * bucket)));
  EXPECT_EQ(ranks.finished, 1);
}

TEST(GradientExchange, EveryStepAddsUpAllOnce) {
  auto gradients = gradients_of(1000);
  EqualRanks ranks(gradients.data());
  GradientExchange exchange(ranks, {}, gradients.data(), 1000);
  for (int step = 0; step < 2; ++step) {
    std::iota(gradients.begin(), gradients.end(), 1.0F);
    exchange.ready_from(500);
    exchange.ready_from(0);
    exchange.finish();
    EXPECT_EQ(gradients, doubled(gradients_of(1000)));
  }
}

TEST(GradientExchange, WithoutOverlapAllIsAddedUpAtTheEnd) {
  auto gradients = gradients_of(3 * bucket);
  EqualRanks ranks(gradients.data());
  GradientExchange exchange(ranks, {.overlaps = false, .deterministic = false}, gradients.data(),
                            std::ssize(gradients));
  exchange.ready_from(0);
  EXPECT_TRUE(ranks.whole.empty());
  exchange.finish();
  EXPECT_THAT(ranks.whole, ElementsAre(Pair(0, 3 * bucket)));
}

TEST(GradientExchange, DeterministicSumsAreInTheOrderOfRanks) {
  auto gradients = gradients_of(1000);
  EqualRanks ranks(gradients.data());
  GradientExchange exchange(ranks, {.overlaps = true, .deterministic = true}, gradients.data(), 1000);
  exchange.ready_from(0);
  exchange.finish();
  EXPECT_THAT(ranks.in_order, ElementsAre(Pair(0, 1000)));
}

}  // namespace
}  // namespace breakeven
