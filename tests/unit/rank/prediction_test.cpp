// Tests predicting times from a roofline and from how much of theirs other devices reach.
#include "rank/prediction.h"

#include <gmock/gmock.h>

#include <cmath>

#include "unit/reports_sample.h"

namespace breakeven::rank_prediction_test {
namespace {

DeviceEntry device(double flop_per_second, double bytes_per_second) {
  DeviceEntry entry;
  entry.bytes_per_second = bytes_per_second;
  entry.peaks["f32"] = {
      .flop_per_second = flop_per_second, .sparse_flop_per_second = {}, .accumulate = "f32"};
  return entry;
}

CaseResult needing(double flop, double bytes, const std::string& dtype = "f32") {
  CaseResult c = sample::in_dtype(sample::product("a", 64, 1), dtype);
  c.flop = flop;
  c.bytes = bytes;
  return c;
}

TEST(StatedLeastSeconds, AreTheLongerOfComputingAndMoving) {
  EXPECT_DOUBLE_EQ(stated_least_seconds(device(100, 10), needing(500, 20)).value(), 5);
  EXPECT_DOUBLE_EQ(stated_least_seconds(device(100, 10), needing(500, 200)).value(), 20);
  EXPECT_DOUBLE_EQ(stated_least_seconds(device(100, 10), needing(0, 30, "f64")).value(), 3)
      << "what computes nothing needs no peak";
  EXPECT_FALSE(stated_least_seconds(device(100, 10), needing(500, 20, "f64")));
  CaseResult of_two = needing(500, 20);
  of_two.parameters.set("ranks", std::int64_t{2});
  EXPECT_FALSE(stated_least_seconds(device(100, 10), of_two));
  EXPECT_FALSE(stated_least_seconds(device(100, 10), needing(0, 0)));
  EXPECT_FALSE(stated_least_seconds(device(100, 0), needing(500, 20)));
}

TEST(PredictedSeconds, AreByTheGeometricMeanOfTheOthers) {
  const std::vector<Reached> others{{.device = 0, .seconds = 4, .least_seconds = 2},
                                    {.device = 1, .seconds = 24, .least_seconds = 3}};
  EXPECT_DOUBLE_EQ(predicted_seconds(10, others).value(), 40) << "2 and 8 times";
  EXPECT_FALSE(predicted_seconds(10, {}));
}

TEST(PredictionErrors, AreOfEachDeviceByTheOthers) {
  const std::vector<ReachedByDevices> cases{
      {{.model = 0, .seconds = 2, .least_seconds = 1}, {.model = 1, .seconds = 6, .least_seconds = 1}},
      {{.model = 0, .seconds = 2, .least_seconds = 1}},
      {{.model = 2, .seconds = 5, .least_seconds = 1}, {.model = 1, .seconds = 5, .least_seconds = 1}}};
  const auto error = prediction_error(cases);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->devices, 3U);
  EXPECT_EQ(error->cases, 2U) << "one device alone predicts nothing";
  // 3 times too low and too high, and right twice: the quantiles of 0, 0, log 3 and log 3.
  EXPECT_NEAR(error->typical, std::sqrt(3), 1e-9);
  EXPECT_NEAR(error->most, 3, 1e-9);
  EXPECT_FALSE(prediction_error(std::vector<ReachedByDevices>{cases[1]}));
  EXPECT_FALSE(prediction_error({}));
}

/// Devices of one model do not predict each other.
TEST(PredictionErrors, AreNotOfAModelByItself) {
  std::vector<ReachedByDevices> cases{{{.device = 0, .model = 0, .seconds = 2, .least_seconds = 1},
                                       {.device = 1, .model = 0, .seconds = 4, .least_seconds = 1}}};
  EXPECT_FALSE(prediction_error(cases));
  cases[0].push_back({.device = 2, .model = 2, .seconds = 8, .least_seconds = 1});
  EXPECT_EQ(prediction_error(cases).value().devices, 2U);
  EXPECT_NEAR(prediction_error(cases).value().most, 4, 0.2) << "2 was taken for 8";
}

}  // namespace
}  // namespace breakeven::rank_prediction_test
