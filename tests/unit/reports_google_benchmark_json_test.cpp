#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "reports/google_benchmark_json.h"
#include "reports_sample.h"
#include "results/google_benchmark.h"
#include "results/json_text.h"

namespace breakeven {
namespace {

CaseResult measured(const std::string& backend, double seconds) {
  CaseResult r = sample::product(backend, 64, seconds);
  r.cpu_seconds = 2 * seconds;
  r.seconds->iterations = 10;
  return r;
}

nlohmann::ordered_json google_json(std::span<const Result> results) {
  return parse_strictly(google_benchmark_json_report(results).text);
}

TEST(GoogleBenchmarkJson, IsARowForEachCase) {
  CaseResult r = measured("a", 0.5);
  r.seconds->samples = {0.4, 0.5, 0.6};
  r.label = "layer";
  r.algorithm = "direct";
  r.samples = 8;
  const auto json = google_json(std::array{sample::result({r, measured("b", 1)})});
  ASSERT_EQ(json.at("benchmarks").size(), 2U);
  const auto& row = json.at("benchmarks")[0];
  EXPECT_EQ(row.at("name"), "matmul/m=64/f32/a");
  EXPECT_EQ(row.at("run_name"), row.at("name"));
  EXPECT_EQ(row.at("run_type"), "iteration");
  EXPECT_EQ(row.at("real_time"), 5e8);
  EXPECT_EQ(row.at("cpu_time"), 1e9);
  EXPECT_EQ(row.at("time_unit"), "ns");
  EXPECT_EQ(row.at("iterations"), 10);
  EXPECT_EQ(row.at("label"), "layer, direct");
  EXPECT_EQ(row.at("FLOP/s"), r.flop / 0.5);
  EXPECT_EQ(row.at("bytes_per_second"), r.bytes / 0.5);
  EXPECT_EQ(row.at("items_per_second"), 16);
  EXPECT_NE(json.at("benchmarks")[1].at("family_index"), row.at("family_index"));
}

TEST(GoogleBenchmarkJson, WhatFailedIsAnErrorInAUnitOfItsOwn) {
  CaseResult wrong = measured("b", 1);
  wrong.status = Status::wrong;
  wrong.reason = "off by one";
  const auto json = google_json(std::array{sample::result({measured("a", 1), wrong})});
  const auto& row = json.at("benchmarks").at(1);
  EXPECT_EQ(row.at("error_occurred"), true);
  EXPECT_EQ(row.at("error_message"), "wrong: off by one");
  EXPECT_EQ(row.at("real_time"), 0);
  EXPECT_NE(row.at("time_unit"), json.at("benchmarks").at(0).at("time_unit"));
}

TEST(GoogleBenchmarkJson, WhatHasNoTimesIsLeftOutAndCounted) {
  CaseResult fits = sample::refused(measured("a", 1), Status::ok, "");
  fits.fit = Fit{.largest = 4096, .refused = 4097, .limit = ""};
  CaseResult no_cpu_time = measured("b", 1);
  no_cpu_time.cpu_seconds.reset();
  const auto report = google_benchmark_json_report(std::array{
      sample::result({fits, no_cpu_time, sample::refused(measured("c", 1), Status::unsupported, "no")})});
  EXPECT_EQ(report.cases_left_out, 3U);
  EXPECT_TRUE(parse_strictly(report.text).at("benchmarks").empty());
}

TEST(GoogleBenchmarkJson, TheContextSaysWhatAllResultsShare) {
  Result one = sample::result({measured("a", 1)});
  one.host.settings["governor"] = "powersave";
  one.cases[0].conditions.cpu_mhz = 2399.6;
  one.tool_build = "Release";
  const auto context = google_json(std::array{one}).at("context");
  EXPECT_EQ(context.at("host_name"), "host");
  EXPECT_EQ(context.at("date"), "2026-11-01T12:00:00Z");
  EXPECT_EQ(context.at("num_cpus"), 2);
  EXPECT_EQ(context.at("mhz_per_cpu"), 2400);
  EXPECT_EQ(context.at("cpu_scaling_enabled"), true);
  EXPECT_EQ(context.at("library_build_type"), "release");
  EXPECT_EQ(context.at("json_schema_version"), 1);
  EXPECT_EQ(context.at("cpu"), "A CPU");

  Result other = one;
  other.host.name = "other";
  other.host.cpus = 64;
  other.host.settings["governor"] = "unknown: there is no such file";
  other.cases[0].conditions.cpu_mhz = std::nullopt;
  const auto both = google_json(std::array{one, other}).at("context");
  EXPECT_EQ(both.at("host_name"), "host, other");
  for (const char* key : {"num_cpus", "mhz_per_cpu", "cpu_scaling_enabled"})
    EXPECT_FALSE(both.contains(key)) << key;
  EXPECT_EQ(both.at("cpu"), "A CPU");
}

TEST(GoogleBenchmarkJson, IsReadBackAsWhatItWas) {
  const Result run = sample::result(
      {measured("a", 0.5), sample::refused(measured("b", 1), Status::out_of_memory, "too large")});
  const Result back = google_benchmark_from_text(google_benchmark_json_report(std::array{run}).text, "file");
  ASSERT_EQ(back.cases.size(), 2U);
  EXPECT_EQ(back.host.name, "host");
  EXPECT_EQ(back.created, run.created);
  EXPECT_EQ(back.cases[0].id, "matmul/m=64/f32/a");
  ASSERT_TRUE(back.cases[0].seconds);
  EXPECT_DOUBLE_EQ(back.cases[0].seconds->median, 0.5);
  EXPECT_EQ(back.cases[1].status, Status::failed);
  EXPECT_EQ(back.cases[1].reason, "out_of_memory: too large");
}

TEST(GoogleBenchmarkJson, HostileFilesMakeNoOtherForm) {
  Result run = sample::hostile();
  run.cases[0].conditions.cpu_mhz = 1e300;
  const auto report = google_benchmark_json_report(std::array{run, run});
  const auto json = parse_strictly(report.text);
  EXPECT_EQ(json.at("benchmarks").size() + report.cases_left_out, 2 * run.cases.size());
  EXPECT_FALSE(json.at("context").contains("mhz_per_cpu"));
  std::set<std::string> names;
  for (const auto& row : json.at("benchmarks")) {
    EXPECT_TRUE(names.insert(row.at("name")).second) << row;
    for (const auto& [key, value] : row.items()) EXPECT_FALSE(value.is_null()) << key << row;
  }
}

TEST(GoogleBenchmarkJson, NothingIsAnEmptyList) {
  EXPECT_TRUE(parse_strictly(google_benchmark_json_report({}).text).at("benchmarks").empty());
}

}  // namespace
}  // namespace breakeven
