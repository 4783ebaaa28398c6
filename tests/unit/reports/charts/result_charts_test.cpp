#include "reports/charts/result_charts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "unit/hostile_sample.h"
#include "unit/reports_sample.h"
#include "unit/thresholds_sample.h"

namespace breakeven::result_charts_test {
namespace {

using sample::in_dtype;
using sample::on_gpu;
using sample::product;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Chart> of(std::vector<CaseResult> cases) {
  const std::vector<Result> results{sample::result(std::move(cases))};
  return charts(results);
}

std::vector<std::string> names(const std::vector<Chart>& all) {
  std::vector<std::string> made;
  for (const Chart& chart : all) made.push_back(chart.name);
  return made;
}

const Chart& named(const std::vector<Chart>& all, const std::string& name) {
  for (const Chart& chart : all) {
    if (chart.name == name) return chart;
  }
  throw std::out_of_range("no chart " + name);
}

std::vector<std::string> labels(const Chart& chart) {
  std::vector<std::string> all;
  for (const ChartSeries& series : chart.series) all.push_back(series.label);
  return all;
}

TEST(Charts, ShowARateOverTheParameterThatMoves) {
  const std::vector<Chart> all = of({product("onednn", 64, 1e-5), product("onednn", 256, 1e-4),
                                     product("onednn", 128, 4e-5), product("blis", 64, 2e-5)});
  ASSERT_THAT(names(all), ElementsAre("matmul-m")) << "n and k move along";
  const Chart& chart = all[0];
  EXPECT_EQ(chart.title, "Matrix products: GFLOP/s by m");
  EXPECT_EQ(chart.kind, Chart::Kind::lines);
  EXPECT_THAT(labels(chart), ElementsAre("oneDNN", "BLIS"));
  EXPECT_THAT(chart.x.ticks, ElementsAre(64, 128, 256)) << "the values measured";
  const ChartPoint& first = chart.series[0].points.at(0);
  EXPECT_EQ(chart.series[0].points.at(1).x, 128) << "by x, whatever the order of the file";
  EXPECT_NEAR(first.y, 2 * 64 * 64 * 64 / 1e-5 * 1e-9, 1e-9);
  EXPECT_LT(*first.low, first.y);
  EXPECT_GT(*first.high, first.y);
}

TEST(Charts, TellDtypesApartAndMachinesByTheirOwnPictures) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    cases.push_back(product("onednn", m, 1e-6 * static_cast<double>(m)));
    cases.push_back(in_dtype(product("onednn", m, 5e-7 * static_cast<double>(m)), "bf16"));
  }
  const std::vector<Result> results{sample::result(cases),
                                    sample::on_machine("other", sample::result(cases))};
  const std::vector<Chart> all = charts(results);
  EXPECT_THAT(names(all),
              ElementsAre("host-matmul-m", "host-lower-precision", "other-matmul-m", "other-lower-precision",
                          "machines-matmul-m-bf16", "machines-matmul-m-f32"));
  EXPECT_THAT(labels(all[0]), ElementsAre("oneDNN f32", "oneDNN bf16"));
  EXPECT_THAT(all[2].title, HasSubstr("(other)"));
  EXPECT_THAT(labels(all[4]), ElementsAre("host", "other")) << "the best backend of each";
}

TEST(Charts, HaveAPictureForEachDtypeWhereThereAreManyLines) {
  std::vector<CaseResult> cases;
  for (const char* backend : {"a", "b", "c", "d"}) {
    for (const std::int64_t m : {64, 128, 256}) {
      cases.push_back(in_dtype(product(backend, m, 1e-6), "bf16"));
      cases.push_back(product(backend, m, 1e-5));
    }
  }
  EXPECT_THAT(names(of(cases)), ElementsAre("matmul-m-f32", "matmul-m-bf16", "lower-precision"));
}

TEST(Charts, OfAGpuShowTheSpeedUpWithItsInterval) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    cases.push_back(product("onednn", m, 1e-4));
    cases.push_back(product("blis", m, 2e-4));
    cases.push_back(on_gpu(product("cuda", m, 1e-2 / static_cast<double>(m))));
  }
  const std::vector<Chart> all = of(cases);
  const Chart& chart = named(all, "matmul-m-speedup");
  EXPECT_THAT(labels(chart), ElementsAre("CUDA"));
  EXPECT_TRUE(chart.series[0].is_gpu);
  EXPECT_THAT(chart.about, ElementsAre(Focus::gpu));
  EXPECT_EQ(chart.reference, 1);
  EXPECT_NEAR(chart.series[0].points.at(2).y, 2.56, 1e-9) << "over the fastest of the CPU's";
  EXPECT_NEAR(*chart.series[0].points[2].high / 2.56,
              std::exp(std::hypot(0.01, 0.01, 1.96 * std::sqrt(2) * 0.013)), 1e-3)
      << "of one launch";
  std::erase_if(cases, [](const CaseResult& c) { return c.device != "cpu"; });
  EXPECT_THAT(names(of(cases)), ElementsAre("matmul-m"));
}

TEST(Charts, OfInferenceShowLatencies) {
  std::vector<CaseResult> cases;
  for (const std::int64_t batch : {1, 8, 64}) {
    cases.push_back(sample::inference("onednn", batch, 1e-3 * static_cast<double>(batch)));
    cases.back().latency = Latency{.p50 = 1e-3, .p99 = 3e-3, .count = 100};
  }
  const std::vector<Chart> all = of(cases);
  ASSERT_THAT(names(all), ElementsAre("infer-batch-network-mlp", "infer-batch-network-mlp-latency"));
  EXPECT_EQ(all[0].y.label, "images per second");
  EXPECT_EQ(all[1].y.unit, ChartUnit::seconds);
  EXPECT_TRUE(all[1].less_is_better);
  EXPECT_THAT(all[0].about, IsEmpty()) << "any topic may show rates";
  EXPECT_TRUE(all[1].is_about(Focus::latency) && all[1].is_aside);
  EXPECT_FALSE(all[0].less_is_better);
  EXPECT_EQ(all[1].series.at(0).points.at(0).y, 1e-3);
  EXPECT_EQ(all[1].series[0].points[0].high, 3e-3);
}

TEST(Charts, OfWhatDoesNotMoveAreBars) {
  const std::vector<Chart> all =
      of({product("onednn", 64, 1e-5), product("onednn", 128, 4e-5), product("blis", 128, 5e-5)});
  ASSERT_THAT(names(all), ElementsAre("matmul"));
  EXPECT_EQ(all[0].kind, Chart::Kind::bars);
  EXPECT_THAT(all[0].categories, SizeIs(2));
  EXPECT_EQ(all[0].series.at(1).points.at(0).x, 1);
  EXPECT_FALSE(all[0].y.logarithmic) << "lengths are compared from 0";
}

TEST(Charts, OfMoreBarsThanAreReadableSayWhatIsLeftOut) {
  std::vector<CaseResult> cases;
  for (int i = 0; i < 30; ++i) {
    for (const char* backend : {"a", "b"}) {
      cases.push_back(product(backend, 64, 1));
      cases.back().label = cases.back().id = std::to_string(i);
    }
  }
  const std::vector<Chart> all = of(cases);
  ASSERT_THAT(names(all), ElementsAre("matmul"));
  EXPECT_THAT(all[0].categories, SizeIs(24));
  EXPECT_EQ(all[0].note, "6 more problems are left out.");
}

TEST(Charts, ShowLossesUpToTheLastStepThatAllHave) {
  CaseResult longer = sample::training("blis");
  longer.training->loss.push_back(0.1);
  const std::vector<Chart> all = of({sample::training("onednn"), longer});
  std::vector<const Chart*> losses;
  for (const Chart& chart : all) {
    if (chart.y.label == "loss") losses.push_back(&chart);
  }
  ASSERT_THAT(losses, SizeIs(2));
  EXPECT_TRUE(losses[0]->is_aside);
  EXPECT_THAT(losses[0]->series.at(0).points, SizeIs(3));
  EXPECT_THAT(losses[0]->series.at(1).points, SizeIs(3));
  EXPECT_EQ(losses[1]->x.unit, ChartUnit::seconds);
  EXPECT_NEAR(losses[1]->series.at(0).points.at(1).x, 1.5 * 0.002, 1e-12);
}

TEST(Charts, ShowTheRoofOfAMeasuredDevice) {
  CaseResult peak = product("native", 64, 1e-3);
  peak.op = "peak";
  peak.id = "peak/f32";
  peak.parameters = {{"dtype", "f32"}};
  peak.flop = 1e9;
  CaseResult read =
      sample::measured_case("read", {{"bytes", std::int64_t{1} << 28U}, {"dtype", "f32"}}, 1e-3 / 1.1);
  read.seconds->samples.clear();
  read.bytes = 1e8;
  const std::vector<Chart> all = of({peak, read, product("onednn", 512, 1e-3)});
  const Chart& roof = named(all, "roofline-1");
  EXPECT_EQ(roof.kind, Chart::Kind::points);
  const ChartSeries& ceiling = roof.series.back();
  EXPECT_TRUE(ceiling.is_limit);
  EXPECT_EQ(ceiling.label, "ceiling, f32");
  ASSERT_THAT(ceiling.points, SizeIs(3));
  EXPECT_NEAR(ceiling.points[1].x, 10, 1e-9) << "1000 GFLOP/s over 100 GB/s";
  EXPECT_NEAR(ceiling.points[1].y, 1000, 1e-6);
}

TEST(Charts, OfLowerPrecisionAreByOperation) {
  const std::vector<Chart> all = of(
      {product("onednn", 64, 4e-5), product("blis", 64, 6e-5), in_dtype(product("onednn", 64, 1e-5), "bf16"),
       product("onednn", 128, 4e-4), in_dtype(product("blis", 128, 1e-3), "bf16")});
  const Chart& chart = named(all, "lower-precision");
  EXPECT_THAT(chart.about, ElementsAre(Focus::precision));
  EXPECT_THAT(chart.categories, ElementsAre("bf16"));
  EXPECT_THAT(labels(chart), ElementsAre("Matrix products"));
  const ChartPoint& point = chart.series[0].points.at(0);
  EXPECT_NEAR(point.y, std::sqrt(4 * 0.4), 1e-9) << "the fastest backend in either";
  EXPECT_NEAR(*point.low, 0.4, 1e-9);
  EXPECT_NEAR(*point.high, 4, 1e-9);
}

TEST(Charts, OfStepsOfOptimisationAreALadderInTheirOrder) {
  const auto step = [](const std::string& dtype, bool tuned, bool fused, std::int64_t batch, double seconds) {
    CaseResult c = sample::training("cuda");
    c.op = "train";
    c.parameters = {{"network", "mlp"}, {"batch", batch}, {"tuned", tuned}, {"fused", fused}};
    c.samples = batch;
    c.seconds->median = seconds;
    c = in_dtype(c, dtype);
    c.id = fmt::format("train/{}/{}/{}/{}", dtype, tuned, fused, batch);
    return c;
  };
  const std::vector<Chart> all =
      of({step("f32", false, false, 64, 4e-3), step("bf16", false, false, 64, 2e-3),
          step("bf16", true, false, 64, 1e-3), step("bf16", true, true, 64, 5e-4),
          step("bf16", true, true, 256, 1e-3)});
  const Chart& ladder = named(all, "train-mlp-steps-of-optimisation");
  EXPECT_THAT(ladder.about, ElementsAre(Focus::graphs, Focus::steps));
  EXPECT_THAT(ladder.categories,
              ElementsAre("f32, batch 64", "bf16, batch 64", "bf16 + tuned, batch 64",
                          "bf16 + tuned + fused, batch 64", "bf16 + tuned + fused, batch 256"));
  EXPECT_THAT(labels(ladder), ElementsAre("CUDA")) << "one for each backend, whatever the type";
  EXPECT_NEAR(ladder.series[0].points.at(4).y, 256 / 1e-3, 1e-6);
  EXPECT_THAT(names(all), Not(Contains("train"))) << "they are not bars once more";
}

CaseResult training(std::int64_t batch, std::int64_t ranks, double seconds) {
  CaseResult made = product("openblas", 64, seconds);
  made.op = "train";
  made.id = fmt::format("train/batch={}/ranks={}", batch, ranks);
  made.parameters = {
      {"network", std::string("mlp")}, {"batch", batch}, {"ranks", ranks}, {"dtype", std::string("f32")}};
  made.samples = batch;
  return made;
}

TEST(Charts, OfSeveralRanksShowHowFarFromIdealTheyAre) {
  const std::vector<Chart> all =
      of({training(64, 1, 2e-3), training(128, 1, 4e-3), training(128, 2, 2.5e-3)});
  const Chart& chart = named(all, "ranks");
  EXPECT_EQ(chart.kind, Chart::Kind::intervals);
  EXPECT_THAT(chart.about, ElementsAre(Focus::scaling));
  EXPECT_EQ(chart.reference, 1);
  EXPECT_THAT(labels(chart), ElementsAre("OpenBLAS"));
  EXPECT_THAT(chart.categories,
              ElementsAre("mlp, batch 64, f32, each of 2 ranks", "mlp, batch 128, f32, by 2 ranks"));
  ASSERT_THAT(chart.series[0].points, SizeIs(2));
  EXPECT_NEAR(chart.series[0].points[0].y, 0.8, 1e-9);
  EXPECT_NEAR(chart.series[0].points[1].y, 0.8, 1e-9);
  EXPECT_LT(chart.series[0].points[0].low.value(), 0.8);
}

TEST(Charts, OfBytesHaveAnAxisOfBytes) {
  std::vector<CaseResult> cases;
  for (const std::int64_t bytes : {1 << 10, 1 << 20, 1 << 30})
    cases.push_back(sample::measured_case("read", {{"bytes", bytes}, {"dtype", "f32"}}, 1e-3));
  const std::vector<Chart> all = of(cases);
  EXPECT_EQ(named(all, "read-bytes").x.unit, ChartUnit::bytes);
}

TEST(Charts, HaveNamesEvenWhereTheirWorkHasNone) {
  std::vector<CaseResult> cases(3, product("a", 64, 1));
  cases[0].op = "?";
  cases[1].op = "!";
  cases[2].op = "*";
  EXPECT_THAT(names(of(cases)), ElementsAre("chart", "chart-2", "chart-3"));
}

TEST(Charts, OfNothingAreNone) {
  EXPECT_THAT(charts({}), IsEmpty());
  EXPECT_THAT(of({sample::refused(product("a", 64, 1), Status::failed, "no")}), IsEmpty());
}

TEST(Charts, HaveFiniteNumbersAndNamesOfTheirOwn) {
  const std::vector<Result> results{sample::hostile(), sample::on_machine("\n", sample::hostile())};
  const std::vector<Threshold> thresholds{sample::threshold(), sample::threshold()};
  std::set<std::string> seen;
  std::size_t points = 0;
  for (const Chart& chart : charts(results, thresholds)) {
    EXPECT_THAT(chart.name, testing::MatchesRegex("[a-z0-9][a-z0-9-]*"));
    EXPECT_TRUE(seen.insert(chart.name).second) << chart.name;
    for (const ChartSeries& series : chart.series) {
      EXPECT_THAT(series.label, Not(HasSubstr("\n")));
      for (const ChartPoint& point : series.points) {
        ++points;
        EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y)) << chart.name;
        EXPECT_TRUE(std::isfinite(point.low.value_or(0)) && std::isfinite(point.high.value_or(0)))
            << chart.name;
      }
    }
  }
  EXPECT_GE(seen.size(), 3U) << "of both machines, and of each threshold";
  EXPECT_GE(points, 10U);
}

}  // namespace
}  // namespace breakeven::result_charts_test
