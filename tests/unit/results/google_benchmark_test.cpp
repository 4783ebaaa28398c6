// Google Benchmark's JSON as a result. The rows are such as its versions 1.7 and 1.9 write.
#include "results/google_benchmark.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/words/notes.h"
#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

namespace breakeven::google_benchmark_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

const Json context = Json::parse(R"({
  "date": "2026-03-01T00:30:00+01:00", "host_name": "runner", "executable": "./build/kernels", "num_cpus": 4,
  "mhz_per_cpu": 2445, "cpu_scaling_enabled": false,
  "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}],
  "load_avg": [2.2, 1.0, 1.3], "library_version": "v1.9.0", "library_build_type": "release",
  "json_schema_version": 1, "compiler": "gcc"})");

Json row(const std::string& name, double time, int repetition = 0) {
  Json made = Json::parse(R"({"name": "", "family_index": 0, "per_family_instance_index": 0, "run_name": "",
    "run_type": "iteration", "repetitions": 3, "repetition_index": 0, "threads": 1, "iterations": 1000,
    "real_time": 0, "cpu_time": 0, "time_unit": "us"})");
  made["name"] = made["run_name"] = name;
  made["repetition_index"] = repetition;
  made["real_time"] = time;
  made["cpu_time"] = time / 2;
  return made;
}
Json aggregate(const std::string& name, const std::string& kind, double time,
               const std::string& unit = "time") {
  Json made = row(name, time);
  made["name"] = name + "_" + kind;
  made["run_type"] = "aggregate";
  made["aggregate_name"] = kind;
  made["aggregate_unit"] = unit;
  made.erase("repetition_index");
  return made;
}
std::string file(const std::vector<Json>& rows) {
  return Json{{"context", context}, {"benchmarks", rows}}.dump();
}
Result read(const std::vector<Json>& rows) {
  return google_benchmark_from_text(file(rows), "file.json");
}
std::string why_refused(const std::string& text) {
  const std::string why = message_of<ResultError>([&] { google_benchmark_from_text(text, "file.json"); });
  EXPECT_THAT(why, testing::StartsWith("file.json: "));
  return why;
}

TEST(GoogleBenchmark, RepetitionsAreSamplesOfOneLaunch) {
  const Result r = read({row("BM_a/8", 3, 0), row("BM_b", 50), row("BM_a/8", 1, 1), row("BM_a/8", 2, 2)});
  ASSERT_EQ(r.cases.size(), 2U);
  const CaseResult& c = r.cases[0];
  EXPECT_EQ(c.id, "BM_a/8");
  EXPECT_EQ(c.backend, "kernels");
  EXPECT_EQ(c.status, Status::ok);
  ASSERT_TRUE(c.seconds);
  EXPECT_DOUBLE_EQ(c.seconds->median, 2e-6);
  EXPECT_THAT(c.seconds->samples,
              ElementsAre(testing::DoubleEq(3e-6), testing::DoubleEq(1e-6), testing::DoubleEq(2e-6)));
  EXPECT_THAT(c.seconds->launches, ElementsAre(3));
  EXPECT_EQ(c.seconds->ci_low, std::nullopt) << "three samples have no interval of 95 %";
  EXPECT_EQ(c.seconds->iterations, 1000);
  EXPECT_DOUBLE_EQ(c.cpu_seconds.value_or(0), 1e-6);
  EXPECT_TRUE(std::isnan(c.flop));
  EXPECT_EQ(r.cases[1].id, "BM_b");
}

TEST(GoogleBenchmark, ContextIsTheMachine) {
  const Result r = read({});
  EXPECT_EQ(r.created, "2026-02-28T23:30:00Z");
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.host.name, "runner");
  EXPECT_EQ(r.host.cpus, 4);
  EXPECT_EQ(r.tool_build, "release");
  EXPECT_THAT(r.host.settings,
              ElementsAre(testing::Pair("caches", "L1 Data 32768"), testing::Pair("compiler", "gcc"),
                          testing::Pair("cpu_scaling_enabled", "false")));
  ASSERT_EQ(r.backends.size(), 1U);
  EXPECT_EQ(r.backends[0].name, "kernels");
  EXPECT_TRUE(r.backends[0].available);
}

TEST(GoogleBenchmark, AggregatesAloneStandForTheSamples) {
  const Result r = read({aggregate("BM_a", "mean", 9), aggregate("BM_a", "median", 7),
                         aggregate("BM_a", "stddev", 1), aggregate("BM_a", "cv", 0.1, "percentage")});
  ASSERT_EQ(r.cases.size(), 1U);
  ASSERT_TRUE(r.cases[0].seconds);
  EXPECT_DOUBLE_EQ(r.cases[0].seconds->median, 7e-6);
  EXPECT_TRUE(r.cases[0].seconds->samples.empty());
  EXPECT_THAT(note_texts(r.cases[0].warnings), ElementsAre(HasSubstr("only aggregates")));
}

TEST(GoogleBenchmark, AggregatesBesideRepetitionsAreNotCounted) {
  const Result r = read({row("BM_a", 3), row("BM_a", 5, 1), aggregate("BM_a", "median", 400)});
  ASSERT_EQ(r.cases.size(), 1U);
  EXPECT_DOUBLE_EQ(r.cases[0].seconds->median, 4e-6);
  EXPECT_TRUE(r.cases[0].warnings.empty());
}

TEST(GoogleBenchmark, FitsOfComplexityAreLeftOut) {
  Json fit = aggregate("BM_a", "BigO", 1);
  fit.erase("real_time");
  fit["big_o"] = "N";
  EXPECT_TRUE(read({fit, aggregate("BM_a", "RMS", 1, "percentage")}).cases.empty());
}

TEST(GoogleBenchmark, ErrorsAndSkipsHaveNoTime) {
  Json failed = row("BM_failed", 0);
  failed["error_occurred"] = true;
  failed["error_message"] = "no \"file\"";
  Json skipped = row("BM_skipped", 0);
  skipped["skipped"] = true;
  skipped["skip_message"] = "no GPU";
  const Result r = read({failed, row("BM_failed", 3, 1), skipped, row("BM_manual", 0)});
  ASSERT_EQ(r.cases.size(), 3U);
  EXPECT_EQ(r.cases[0].status, Status::failed);
  EXPECT_EQ(r.cases[0].reason, "no \"file\"");
  EXPECT_EQ(r.cases[0].seconds.has_value(), false);
  EXPECT_EQ(r.cases[1].status, Status::unsupported);
  EXPECT_EQ(r.cases[1].reason, "no GPU");
  EXPECT_EQ(r.cases[2].status, Status::failed);
}

TEST(GoogleBenchmark, BenchmarksOfOneNameStayApart) {
  Json other = row("BM_a", 9);
  other["family_index"] = 1;
  const Result r = read({row("BM_a", 3), row("BM_a (2)", 5), other});
  ASSERT_EQ(r.cases.size(), 3U);
  EXPECT_EQ(r.cases[2].id, "BM_a (3)") << "the second of its name, and BM_a (2) is taken";
}

TEST(GoogleBenchmark, NumbersThatAreNoneAreReadAsUnknown) {
  std::string text = file({row("BM \\\"NaN\" Infinity", 3)});
  text.insert(text.rfind("\"real_time\""), R"("rate": NaN, "other": -Infinity, "more": -NaN, )");
  const Result r = google_benchmark_from_text(text, "file.json");
  ASSERT_EQ(r.cases.size(), 1U);
  EXPECT_EQ(r.cases[0].id, "BM \\\"NaN\" Infinity");
  EXPECT_EQ(r.cases[0].status, Status::ok);
}

TEST(GoogleBenchmark, CountersWithTheNamesOfFieldsDoNotCount) {
  std::string text = file({row("BM_a", 3)});
  text.insert(text.rfind("\"time_unit\"") + std::string(R"("time_unit":"us")").size(),
              R"(, "real_time": 77, "label": 5, "skipped": 1, "rms": 2)");
  const Result r = google_benchmark_from_text(text, "file.json");
  ASSERT_EQ(r.cases.size(), 1U);
  EXPECT_EQ(r.cases[0].status, Status::ok);
  EXPECT_DOUBLE_EQ(r.cases[0].seconds->median, 3e-6);
  EXPECT_EQ(r.cases[0].label, "");
}

TEST(GoogleBenchmark, IsAResultFileLikeAnyOther) {
  const Result r = read({row("BM_a", 3), aggregate("BM_b", "mean", 9)});
  EXPECT_EQ(to_json_text(result_from_text(to_json_text(r), "again.json")), to_json_text(r));
}

TEST(GoogleBenchmark, WhatIsWrongIsRefusedByItsPlace) {
  EXPECT_THAT(why_refused("{}"), HasSubstr("/benchmarks is missing"));
  EXPECT_THAT(why_refused("[1]"), HasSubstr("/benchmarks is missing"));
  EXPECT_THAT(why_refused(R"({"context": 3, "benchmarks": []})"), HasSubstr("/context must be an object"));
  EXPECT_THAT(why_refused(R"({"benchmarks": {}})"), HasSubstr("/benchmarks must be a list"));
  EXPECT_THAT(why_refused(R"({"benchmarks": [3]})"), HasSubstr("/benchmarks/0 must be an object"));
  Json bad = row("BM_a", 3);
  bad["real_time"] = "3";
  EXPECT_THAT(why_refused(file({bad})), HasSubstr("/benchmarks/0/real_time is of the wrong type"));
  bad = row("BM_a", 3);
  bad["time_unit"] = "fortnight";
  EXPECT_THAT(why_refused(file({bad})), HasSubstr("/benchmarks/0/time_unit is 'fortnight'"));
  bad = row("BM_a", 3);
  bad.erase("run_name");
  EXPECT_THAT(why_refused(file({bad})), HasSubstr("/benchmarks/0/run_name is missing"));
}

TEST(GoogleBenchmark, CutOffAnywhereIsRefused) {
  const std::string text = file({row("BM_a", 3), row("BM_b", NAN)});
  for (std::size_t length = 1; length < text.size(); length += 7)
    EXPECT_THAT(why_refused(text.substr(0, length)), HasSubstr("perhaps truncated")) << length;
}

TEST(AnyResult, IsReadByWhatIsInTheFile) {
  const TemporaryFolder folder;
  const Result r = read({row("BM_a", 3)});
  EXPECT_EQ(read_any_result(folder.write("a.json", file({row("BM_a", 3)}))).cases.at(0).id, "BM_a");
  EXPECT_EQ(read_any_result(folder.write("b.json", to_json_text(r))).cases.at(0).id, "BM_a");
  for (const char* text : {"", "{}", "[]", "3", "{\"x\": {\"context\": 1}}", "SQLite format 3"}) {
    EXPECT_FALSE(is_google_benchmark(text)) << text;
    EXPECT_THROW(read_any_result(folder.write("c.json", text)), ResultError) << text;
  }
}

}  // namespace
}  // namespace breakeven::google_benchmark_test
