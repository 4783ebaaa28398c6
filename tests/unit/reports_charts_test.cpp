#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "reports/chart_gnuplot.h"
#include "reports/charts/result_charts.h"
#include "reports_sample.h"
#include "thresholds_sample.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> chart_names(const std::vector<Chart>& all) {
  std::vector<std::string> names;
  for (const Chart& chart : all) names.push_back(chart.name);
  return names;
}

const Chart& named(const std::vector<Chart>& all, const std::string& name) {
  for (const Chart& chart : all) {
    if (chart.name == name) return chart;
  }
  throw std::out_of_range("no chart " + name);
}

CaseResult on_gpu(CaseResult c) {
  c.device = "gpu";
  return c;
}

CaseResult inferring(const std::string& backend, std::int64_t batch, double p50, double p99) {
  CaseResult r = sample::product(backend, 1, p50);
  r.op = "infer";
  r.id = fmt::format("infer/batch={}", batch);
  r.parameters = {{"network", std::string("mlp")}, {"batch", batch}, {"dtype", std::string("f32")}};
  r.samples = batch;
  r.latency = Latency{.p50 = p50, .p99 = p99, .count = 100};
  return r;
}

TEST(Charts, ShowARateOverTheParameterThatMoves) {
  const std::vector<Result> results{
      sample::result({sample::product("onednn", 64, 1e-5), sample::product("onednn", 256, 1e-4),
                      sample::product("onednn", 128, 4e-5), sample::product("blis", 64, 2e-5)})};
  const std::vector<Chart> all = charts(results);
  EXPECT_THAT(chart_names(all), ElementsAre("matmul-m")) << "n and k move along";
  const Chart& chart = all[0];
  EXPECT_EQ(chart.title, "matmul: GFLOP/s by m");
  EXPECT_EQ(chart.kind, Chart::Kind::lines);
  ASSERT_THAT(chart.series, SizeIs(2));
  EXPECT_EQ(chart.series[0].label, "onednn");
  ASSERT_THAT(chart.series[0].points, SizeIs(3));
  EXPECT_EQ(chart.series[0].points[1].x, 128) << "by x, whatever the order of the file";
  EXPECT_NEAR(chart.series[0].points[0].y, 2 * 64 * 64 * 64 / 1e-5 * 1e-9, 1e-9);
  EXPECT_LT(*chart.series[0].points[0].low, chart.series[0].points[0].y);
  EXPECT_GT(*chart.series[0].points[0].high, chart.series[0].points[0].y);
}

TEST(Charts, TellDtypesAndMachinesApart) {
  CaseResult half = sample::product("onednn", 64, 5e-6);
  half.dtype = "bf16";
  half.parameters.set("dtype", std::string("bf16"));
  half.id = "matmul/m=64/bf16";
  Result other = sample::result({sample::product("onednn", 64, 1e-5)});
  other.host.name = "other";
  const std::vector<Result> results{
      sample::result({sample::product("onednn", 64, 1e-5), half, sample::product("onednn", 128, 4e-5),
                      sample::product("onednn", 256, 1e-4)}),
      other};
  const std::vector<Chart> all = charts(results);
  EXPECT_THAT(chart_names(all), ElementsAre("matmul-m", "narrower-types"));
  ASSERT_THAT(all[0].series, SizeIs(3));
  EXPECT_EQ(all[0].series[0].label, "onednn f32 (host)");
  EXPECT_EQ(all[0].series[1].label, "onednn bf16 (host)");
  EXPECT_EQ(all[0].series[2].label, "onednn f32 (other)");
}

TEST(Charts, OfOtherDevicesShowTheSpeedUpWithItsInterval) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    cases.push_back(sample::product("onednn", m, 1e-4));
    cases.push_back(sample::product("blis", m, 2e-4));
    cases.push_back(on_gpu(sample::product("cuda", m, 1e-2 / static_cast<double>(m))));
  }
  const std::vector<Result> results{sample::result(cases)};
  const std::vector<Chart> all = charts(results);
  const Chart& chart = named(all, "matmul-m-speedup");
  ASSERT_THAT(chart.series, SizeIs(2));
  EXPECT_EQ(chart.series[0].label, "cuda");
  EXPECT_NEAR(chart.series[0].points[2].y, 2.56, 1e-9) << "over the fastest of the CPU's";
  EXPECT_NEAR(*chart.series[0].points[2].high / 2.56, std::exp(std::hypot(0.01, 0.01)), 1e-4);
  EXPECT_TRUE(chart.series[1].is_limit);
}

TEST(Charts, OfInferenceShowLatencies) {
  const std::vector<Result> results{
      sample::result({inferring("onednn", 1, 1e-3, 3e-3), inferring("onednn", 8, 2e-3, 4e-3),
                      inferring("onednn", 64, 9e-3, 1e-2)})};
  const std::vector<Chart> all = charts(results);
  EXPECT_THAT(chart_names(all), ElementsAre("infer-batch-network-mlp", "infer-batch-network-mlp-latency"));
  EXPECT_EQ(all[0].y.label, "images per second");
  EXPECT_EQ(all[1].series[0].points[0].y, 1);
  EXPECT_EQ(all[1].series[0].points[0].high, 3);
}

TEST(Charts, OfWhatDoesNotMoveAreBars) {
  const std::vector<Result> results{
      sample::result({sample::product("onednn", 64, 1e-5), sample::product("onednn", 128, 4e-5),
                      sample::product("blis", 128, 5e-5)})};
  const std::vector<Chart> all = charts(results);
  ASSERT_THAT(chart_names(all), ElementsAre("matmul"));
  EXPECT_EQ(all[0].kind, Chart::Kind::bars);
  EXPECT_THAT(all[0].categories, SizeIs(2));
  EXPECT_EQ(all[0].series[1].points[0].x, 1);
}

TEST(Charts, ShowLossesByStepsAndBySeconds) {
  const std::vector<Result> results{sample::result({sample::training("onednn"), sample::training("blis")})};
  const std::vector<Chart> all = charts(results);
  const auto loss = std::find_if(all.begin(), all.end(), [](const Chart& c) { return c.y.label == "loss"; });
  ASSERT_NE(loss, all.end());
  EXPECT_THAT(loss->series, SizeIs(2));
  EXPECT_THAT(loss->series[0].points, SizeIs(3));
  const auto seconds = std::find_if(loss + 1, all.end(), [](const Chart& c) { return c.y.label == "loss"; });
  ASSERT_NE(seconds, all.end());
  EXPECT_NEAR(seconds->series[0].points[1].x, 1.5 * 0.002, 1e-12);
}

TEST(Charts, ShowTheRoofOfAMeasuredDevice) {
  CaseResult peak = sample::product("native", 64, 1e-3);
  peak.op = "peak";
  peak.id = "peak/f32";
  peak.parameters = {{"dtype", std::string("f32")}};
  peak.flop = 1e9;
  CaseResult read = sample::product("native", 64, 1e-3);
  read.op = "read";
  read.id = "read/f32";
  read.parameters =
      make_case(*find_workload("read"), {{"bytes", std::int64_t{1} << 28U}, {"dtype", std::string("f32")}})
          .parameters;
  read.bytes = 1e8;
  const std::vector<Result> results{sample::result({peak, read, sample::product("onednn", 512, 1e-3)})};
  const std::vector<Chart> all = charts(results);
  const Chart& roof = named(all, "roofline-1");
  EXPECT_EQ(roof.kind, Chart::Kind::points);
  const ChartSeries& ceiling = roof.series.back();
  EXPECT_TRUE(ceiling.is_limit);
  EXPECT_EQ(ceiling.label, "ceiling, f32");
  ASSERT_THAT(ceiling.points, SizeIs(3));
  EXPECT_NEAR(ceiling.points[1].x, 10, 1e-9) << "1000 GFLOP/s over 100 GB/s";
  EXPECT_NEAR(ceiling.points[1].y, 1000, 1e-6);
}

TEST(Charts, OfThresholdsShowWhoIsAheadAndWhereThatChanges) {
  const std::vector<Threshold> thresholds{sample::threshold()};
  const std::vector<Chart> all = charts({}, thresholds);
  ASSERT_THAT(chart_names(all), ElementsAre("threshold-matmul-m-n-k-f32"));
  EXPECT_TRUE(all[0].x.logarithmic);
  ASSERT_THAT(all[0].series, SizeIs(3));
  const ChartSeries& ahead = all[0].series[0];
  EXPECT_EQ(ahead.label, "b over a");
  ASSERT_THAT(ahead.points, SizeIs(2)) << "not what could not be measured";
  EXPECT_NEAR(ahead.points[0].y, std::exp(-0.7), 1e-12);
  EXPECT_LT(*ahead.points[0].low, ahead.points[0].y);
  EXPECT_FALSE(ahead.points[1].low) << "two launches have no interval worth showing";
  EXPECT_TRUE(all[0].series[1].is_limit);
  EXPECT_EQ(all[0].series[2].label, "from 384 on (377 to 392)");
  EXPECT_EQ(all[0].series[2].points[0].x, all[0].series[2].points[1].x);
}

CaseResult in_dtype(CaseResult c, const std::string& dtype) {
  c.dtype = dtype;
  c.parameters.set("dtype", dtype);
  c.id += "/" + dtype;
  return c;
}

TEST(Charts, OfOtherTypesShowWhatTheyBring) {
  const std::vector<Result> results{sample::result(
      {sample::product("onednn", 64, 4e-5), sample::product("blis", 64, 6e-5),
       in_dtype(sample::product("onednn", 64, 1e-5), "bf16"), sample::product("onednn", 128, 4e-4),
       in_dtype(sample::product("blis", 128, 1e-3), "bf16")})};
  const std::vector<Chart> all = charts(results);
  const Chart& chart = named(all, "narrower-types");
  EXPECT_THAT(chart.categories, ElementsAre("bf16"));
  ASSERT_THAT(chart.series, SizeIs(1));
  EXPECT_EQ(chart.series[0].label, "matmul");
  EXPECT_NEAR(chart.series[0].points[0].y, std::sqrt(4 * 0.4), 1e-9) << "the fastest backend in either";
  EXPECT_NEAR(*chart.series[0].points[0].low, 0.4, 1e-9);
  EXPECT_NEAR(*chart.series[0].points[0].high, 4, 1e-9);
}

TEST(Charts, OfStepsOfOptimisationAreALadderInTheirOrder) {
  const auto step = [](const std::string& dtype, bool tuned, bool fused, std::int64_t batch, double seconds) {
    CaseResult c = sample::training("cuda");
    c.op = "train";
    c.id = fmt::format("train/{}/{}/{}/{}", dtype, tuned, fused, batch);
    c.parameters = {{"network", std::string("mlp")}, {"batch", batch}, {"tuned", tuned}, {"fused", fused}};
    c.samples = batch;
    c.seconds->median = seconds;
    return in_dtype(c, dtype);
  };
  const std::vector<Result> results{
      sample::result({step("f32", false, false, 64, 4e-3), step("bf16", false, false, 64, 2e-3),
                      step("bf16", true, false, 64, 1e-3), step("bf16", true, true, 64, 5e-4),
                      step("bf16", true, true, 256, 1e-3)})};
  const std::vector<Chart> all = charts(results);
  const Chart& ladder = named(all, "train-mlp-steps-of-optimisation");
  EXPECT_THAT(ladder.categories,
              ElementsAre("f32, batch 64", "bf16, batch 64", "bf16 + tuned, batch 64",
                          "bf16 + tuned + fused, batch 64", "bf16 + tuned + fused, batch 256"));
  ASSERT_THAT(ladder.series, SizeIs(1)) << "one for each backend, whatever the type";
  EXPECT_EQ(ladder.series[0].label, "cuda");
  EXPECT_NEAR(ladder.series[0].points[4].y, 256 / 1e-3, 1e-6);
  EXPECT_EQ(ladder.y.label, "images per second");
  for (const std::string& name : chart_names(all)) EXPECT_NE(name, "train") << "they are not bars once more";
}

TEST(Charts, OfNothingAreNone) {
  EXPECT_THAT(charts({}), IsEmpty());
  const std::vector<Result> results{
      sample::result({sample::refused(sample::product("a", 64, 1), Status::failed, "no")})};
  EXPECT_THAT(charts(results), IsEmpty());
}

TEST(Charts, OfHostileNamesAndNumbersAreFinite) {
  const std::vector<Result> results{sample::hostile()};
  for (const Chart& chart : charts(results)) {
    EXPECT_THAT(chart.name, testing::MatchesRegex("[a-z0-9-]+"));
    for (const ChartSeries& series : chart.series) {
      EXPECT_THAT(series.label, Not(HasSubstr("\n")));
      for (const ChartPoint& point : series.points)
        EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y));
    }
  }
}

TEST(GnuplotScript, QuotesWhatIsNotItsOwn) {
  Chart chart{
      .name = "x",
      .title = "it's `rm` \"quoted\"\nset output",
      .kind = Chart::Kind::lines,
      .x = {.label = "m", .logarithmic = true},
      .y = {.label = "GFLOP/s"},
      .categories = {},
      .series = {{.label = "o'b", .points = {{.x = 1, .y = 2, .low = 1.5, .high = 2.5}, {.x = 2, .y = 4}}}}};
  const std::string script = gnuplot_script(chart, "a'b.svg");
  EXPECT_THAT(script,
              AllOf(HasSubstr("set output 'a''b.svg'"), HasSubstr("'it''s `rm` \"quoted\"set output'"),
                    HasSubstr("set logscale x"), HasSubstr("title 'o''b'"), HasSubstr("1 2 1.5 2.5\n2 4 ? ?"),
                    HasSubstr("yerrorbars")));
  EXPECT_THAT(gnuplot_script(chart, "a.png"), HasSubstr("pngcairo"));
  chart.kind = Chart::Kind::bars;
  chart.categories = {"one", "two", "three"};
  EXPECT_THAT(gnuplot_script(chart, "a.svg"),
              AllOf(HasSubstr("histogram"), HasSubstr("'two' 2 1.5 2.5"), HasSubstr("'one' ? ? ?")));
}

}  // namespace
}  // namespace breakeven
