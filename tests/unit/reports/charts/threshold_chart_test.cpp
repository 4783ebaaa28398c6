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
  t.answers[0].in = Metric::cost;
  EXPECT_EQ(threshold_chart(t, t.answers[0]).y.label, "times as cheap");
  EXPECT_EQ(question_of(t.answers[0]), "Matrix products, m = n = k, f32, by cost");
}

TEST(ThresholdChart, DrawsAGpuInItsColour) {
  Threshold t = sample::threshold();
  EXPECT_FALSE(threshold_chart(t, t.answers[0]).series.at(0).is_gpu);
  t.sides[0].backends[0].device = t.sides[1].backends[0].device = "cpu";
  EXPECT_FALSE(threshold_chart(t, t.answers[0]).series.at(0).is_gpu);
  t.sides[1].backends[0].device = "gpu";
  EXPECT_TRUE(threshold_chart(t, t.answers[0]).series.at(0).is_gpu);
  t.sides[1].backends[0].available = false;
  EXPECT_FALSE(threshold_chart(t, t.answers[0]).series.at(0).is_gpu) << "it has no part in the points";
}

TEST(ThresholdChart, MarksTheValuesBetweenWhichAChangeIsInterpolated) {
  Threshold t = sample::threshold();
  LeadChange& change = t.answers[0].found.changes[0];
  change.interpolated = true;
  change.from = change.earliest = change.latest = 242;
  change.last_below = 64;
  change.first_above = 1024;
  const ChartMark mark = threshold_chart(t, t.answers[0]).marks.at(0);
  EXPECT_EQ(mark.x, 242);
  EXPECT_EQ(mark.low, 64);
  EXPECT_EQ(mark.high, 1024);
}

TEST(ThresholdChart, LabelsALineWithWhatDistinguishesTheSides) {
  Threshold t = sample::threshold();
  for (ThresholdContender& side : t.sides) side.backends[0].name = "openblas";
  t.sides[0].ranks = 1;
  t.sides[1].ranks = 2;
  const Chart chart = threshold_chart(t, t.answers[0]);
  EXPECT_EQ(chart.series.at(0).label, "2 ranks");
  EXPECT_EQ(chart.title,
            "Matrix products, m = n = k, f32: how far OpenBLAS on 2 ranks is ahead of OpenBLAS on 1 rank");
}

TEST(ThresholdChart, OfNothingIsEmpty) {
  Threshold t = sample::threshold();
  t.answers[0].points.resize(2);
  t.answers[0].points.erase(t.answers[0].points.begin());
  EXPECT_THAT(threshold_chart(t, t.answers[0]).series, IsEmpty());
}

}  // namespace
}  // namespace breakeven::threshold_chart_test
