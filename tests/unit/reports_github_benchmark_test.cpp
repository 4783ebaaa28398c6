#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>

#include "reports/github_benchmark.h"
#include "reports_sample.h"
#include "results/json_text.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;

TEST(GithubBenchmarkReport, IsAListOfNanoseconds) {
  CaseResult r = sample::product("a", 64, 0.5);
  r.seconds->ci_low = 0.4;
  r.seconds->ci_high = 0.55;
  r.algorithm = "direct";
  const auto json = parse_strictly(github_benchmark_report(std::array{sample::result({r})}).text);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0].at("name"), "matmul/m=64/f32/a");
  EXPECT_EQ(json[0].at("unit"), "ns");
  EXPECT_EQ(json[0].at("value"), 5e8);
  const std::string extra = json[0].at("extra");
  EXPECT_THAT(extra, HasSubstr("95 % interval: 400 ms to 550 ms"));
  EXPECT_THAT(extra, HasSubstr("algorithm: direct"));
  EXPECT_THAT(extra, HasSubstr("host: A CPU, 2 cores"));
}

TEST(GithubBenchmarkReport, TheRangeIsTheFurtherEndAsTheActionReadsIt) {
  CaseResult r = sample::product("a", 64, 0.5);
  r.seconds->ci_low = 0.25;
  const auto json = parse_strictly(github_benchmark_report(std::array{sample::result({r})}).text);
  // src/extractRangeInfo.ts of github-action-benchmark; what is behind the sign becomes a Number.
  static const std::regex action("(\\+-|±)\\s*(\\d.+)");
  const std::string range = json[0].at("range");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(range, match, action)) << range;
  EXPECT_EQ(std::stod(match[2]), 2.5e8);
}

TEST(GithubBenchmarkReport, WithoutAnIntervalThereIsNoRange) {
  const auto json = parse_strictly(
      github_benchmark_report(std::array{sample::result({sample::product("a", 64, 1, std::nullopt)})}).text);
  EXPECT_FALSE(json[0].contains("range"));
}

TEST(GithubBenchmarkReport, HostileFilesMakeNoOtherForm) {
  const Result run = sample::hostile();
  const auto report = github_benchmark_report(std::array{run, run});
  const auto json = parse_strictly(report.text);
  EXPECT_EQ(json.size() + report.cases_left_out, 2 * run.cases.size());
  std::set<std::string> names;
  for (const auto& entry : json) {
    EXPECT_TRUE(names.insert(entry.at("name")).second) << entry;
    EXPECT_TRUE(entry.at("value").is_number()) << entry;
  }
}

TEST(GithubBenchmarkReport, WhatFailedIsLeftOutAndCounted) {
  const auto report = github_benchmark_report(
      std::array{sample::result({sample::refused(sample::product("a", 64, 1), Status::failed, "no")})});
  EXPECT_EQ(report.cases_left_out, 1U);
  EXPECT_EQ(report.text, "[]\n");
}

}  // namespace
}  // namespace breakeven
