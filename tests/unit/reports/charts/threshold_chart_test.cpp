#include <gmock/gmock.h>

#include <cmath>

#include "reports/charts/result_charts.h"
#include "unit/thresholds_sample.h"

namespace breakeven::threshold_chart_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ThresholdChart, ShowsWhoIsAheadAndMarksWhereThatChanges) {
  const Threshold t = sample::threshold();
  const Chart chart = threshold_chart(t, t.answers[0]);
  EXPECT_EQ(chart.name, "threshold-matmul-m-n-k-f32");
  EXPECT_EQ(chart.title, "Matrix products, m = n = k, f32: how far b is ahead of a");
  EXPECT_EQ(chart.y.label, "times as fast");
  EXPECT_TRUE(chart.x.logarithmic);
  EXPECT_THAT(chart.x.ticks, ElementsAre(64, 1024));
  EXPECT_EQ(chart.reference, 1);
  ASSERT_THAT(chart.series, SizeIs(1));
  const auto& points = chart.series[0].points;
  ASSERT_THAT(points, SizeIs(2)) << "not what could not be measured";
  EXPECT_NEAR(points[0].y, std::exp(-0.7), 1e-12);
  EXPECT_LT(*points[0].low, points[0].y);
  EXPECT_FALSE(points[1].low) << "two launches have no interval worth showing";
  ASSERT_THAT(chart.marks, SizeIs(1));
  EXPECT_EQ(chart.marks[0].label, "from 384");
  EXPECT_EQ(chart.marks[0].x, 384);
  EXPECT_EQ(chart.marks[0].low, 377);
  EXPECT_EQ(chart.marks[0].high, 392);
}

TEST(ThresholdChart, IsInWhatWasAskedFor) {
  Threshold t = sample::threshold();
  t.answers[0].in = Quantity::cost;
  EXPECT_EQ(threshold_chart(t, t.answers[0]).y.label, "times as cheap");
  EXPECT_EQ(question_of(t.answers[0]), "Matrix products, m = n = k, f32, by cost");
}

TEST(ThresholdChart, OfNothingIsEmpty) {
  Threshold t = sample::threshold();
  t.answers[0].points.resize(2);
  t.answers[0].points.erase(t.answers[0].points.begin());
  EXPECT_THAT(threshold_chart(t, t.answers[0]).series, IsEmpty());
}

}  // namespace
}  // namespace breakeven::threshold_chart_test
