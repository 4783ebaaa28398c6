#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "reports/bencher.h"
#include "reports_sample.h"
#include "results/json_text.h"

namespace breakeven {
namespace {

/// Strict, and without a key twice: both would lose benchmarks.
nlohmann::ordered_json bencher_json(const FormattedReport& report) {
  return parse_strictly(report.text);
}

TEST(BencherReport, HasNanosecondsAndIterationsASecondWithBounds) {
  const Result run = sample::result({sample::product("a", 64, 0.5, 0.5)});
  const auto json = bencher_json(bencher_report(std::array{run}));
  const auto& measures = json.at("matmul/m=64/f32/a");
  EXPECT_EQ(measures.at("latency"),
            nlohmann::ordered_json({{"value", 5e8}, {"lower_value", 2.5e8}, {"upper_value", 7.5e8}}));
  EXPECT_EQ(measures.at("throughput").at("value"), 2);
  EXPECT_DOUBLE_EQ(measures.at("throughput").at("lower_value"), 1 / 0.75);
  EXPECT_DOUBLE_EQ(measures.at("throughput").at("upper_value"), 1 / 0.25);
  EXPECT_FALSE(measures.contains("energy"));
}

TEST(BencherReport, UnknownBoundsAreAbsent) {
  CaseResult r = sample::product("a", 64, 0.5, std::nullopt);
  r.joules = 3;
  const auto json = bencher_json(bencher_report(std::array{sample::result({r})}));
  const auto& measures = json.at("matmul/m=64/f32/a");
  EXPECT_EQ(measures.at("latency"), nlohmann::ordered_json({{"value", 5e8}}));
  EXPECT_EQ(measures.at("energy"), nlohmann::ordered_json({{"value", 3.0}}));
}

TEST(BencherReport, WhatFailedIsLeftOutAndCounted) {
  const CaseResult good = sample::product("a", 64, 1);
  CaseResult fits = sample::refused(good, Status::ok, "");
  fits.id = "fits";
  fits.fit = Fit{.largest = 4096, .refused = 4097, .limit = ""};
  CaseResult wrong = sample::product("b", 64, 1);
  wrong.status = Status::wrong;
  const auto report = bencher_report(
      std::array{sample::result({good, fits, wrong, sample::refused(good, Status::failed, "no")})});
  EXPECT_EQ(report.cases_left_out, 2U);
  const auto json = bencher_json(report);
  EXPECT_EQ(json.size(), 2U);
  EXPECT_EQ(json.at("fits/a"), nlohmann::ordered_json({{"largest-fit", {{"value", 4096.0}}}}));
}

TEST(BencherReport, HostileFilesMakeNoOtherForm) {
  const Result run = sample::hostile();
  const auto report = bencher_report(std::array{run, run});
  const auto json = bencher_json(report);
  EXPECT_EQ(json.size() + report.cases_left_out, 2 * run.cases.size());
  for (const auto& [name, measures] : json.items()) {
    EXPECT_LE(name.size(), 1024U);
    for (const auto& [measure, values] : measures.items()) {
      for (const auto& [key, value] : values.items())
        EXPECT_TRUE(value.is_number()) << name << measure << key;
    }
  }
}

TEST(BencherReport, NothingIsAnEmptyObject) {
  EXPECT_EQ(bencher_report({}).text, "{}\n");
}

}  // namespace
}  // namespace breakeven
