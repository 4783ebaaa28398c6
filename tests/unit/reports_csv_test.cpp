#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "reports/csv.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;

/// Reads RFC 4180: a list of cells for each record.
std::vector<std::vector<std::string>> parse(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = records.back().back();
    if (text[i] == '"') {
      const bool escaped = quoted && i + 1 < text.size() && text[i + 1] == '"';
      if (escaped) cell += text[++i];
      if (!escaped) quoted = !quoted;
    } else if (quoted) {
      cell += text[i];
    } else if (text[i] == ',') {
      records.back().emplace_back();
    } else if (text[i] == '\n') {
      EXPECT_EQ(cell.back(), '\r');
      cell.pop_back();
      records.emplace_back(1);
    } else {
      cell += text[i];
    }
  }
  EXPECT_EQ(records.back(), std::vector<std::string>(1)) << "the last record is ended too";
  records.pop_back();
  return records;
}

/// The records below the header, as column name -> cell.
std::vector<std::map<std::string, std::string>> rows(const Result& result) {
  const auto records = parse(csv_report({&result, 1}));
  std::vector<std::map<std::string, std::string>> all;
  for (std::size_t r = 1; r < records.size(); ++r) {
    EXPECT_EQ(records[r].size(), records[0].size());
    for (std::size_t c = 0; c < records[0].size(); ++c) {
      if (c == 0) all.emplace_back();
      EXPECT_TRUE(all.back().emplace(records[0][c], records[r][c]).second) << records[0][c] << " is twice";
    }
  }
  return all;
}

TEST(CsvReport, HasARowForEachCaseAndBackendWithAllDigits) {
  const double third = 1.0 / 3.0;
  Result result = sample::result({sample::product("a", 64, third), sample::training("b")});
  result.backends = {sample::backend("a", true)};
  const auto all = rows(result);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(std::stod(all[0].at("seconds")), third);
  EXPECT_EQ(all[0].at("backend_version"), "0.1.0");
  EXPECT_EQ(all[1].at("backend_version"), "");
  EXPECT_EQ(all[0].at("parameter.m"), "64");
  EXPECT_EQ(all[0].at("parameter.transpose_a"), "false");
  EXPECT_EQ(all[1].at("parameter.m"), "");
  EXPECT_EQ(all[1].at("parameter.network"), "mlp");
  EXPECT_EQ(all[1].at("accuracy"), "0.8973");
  EXPECT_EQ(all[1].at("samples_per_second"), "64000");
}

TEST(CsvReport, UnknownIsEmpty) {
  CaseResult r = sample::product("a", 64, 1, std::nullopt);
  r.joules = std::numeric_limits<double>::quiet_NaN();
  r.training = Training{};
  r.training->loss = {1, std::numeric_limits<double>::infinity()};
  const auto all = rows(sample::result({r, sample::refused(r, Status::wrong, "no")}));
  for (const char* column : {"seconds_ci_low", "joules", "loss_last", "accuracy", "samples_per_iteration",
                             "latency_p50", "cpu_mhz", "iterations", "epoch_seconds"}) {
    EXPECT_EQ(all[0].at(column), "") << column;
  }
  EXPECT_EQ(all[1].at("seconds"), "");
  EXPECT_EQ(all[1].at("gflops"), "");
  EXPECT_EQ(all[1].at("status"), "wrong");
}

TEST(CsvReport, WhereNothingIsComputedThereIsNoRateOfIt) {
  CaseResult copy = sample::product("a", 64, 1);
  copy.flop = 0;
  const auto all = rows(sample::result({copy}));
  EXPECT_EQ(all[0].at("flop"), "0");
  EXPECT_EQ(all[0].at("gflops"), "");
  EXPECT_NE(all[0].at("gbps"), "");
}

TEST(CsvReport, QuotesAndGuardsText) {
  CaseResult r = sample::product("=cmd|'/c calc'!A0", 64, 1);
  r.label = "said \"so\", then left";
  r.reason = " \t@SUM(1)\r\nsecond\x1b[2J";
  r.parameters.set("evil,name", std::string("-1+1"));
  r.parameters.set("negative", std::int64_t{-1});
  const auto all = rows(sample::result({r}));
  EXPECT_EQ(all[0].at("backend"), "'=cmd|'/c calc'!A0");
  EXPECT_EQ(all[0].at("label"), "said \"so\", then left");
  EXPECT_EQ(all[0].at("reason"), "'@SUM(1) second[2J");
  EXPECT_EQ(all[0].at("parameter.evil,name"), "'-1+1");
  EXPECT_EQ(all[0].at("parameter.negative"), "-1");  // a number, not text
}

TEST(CsvReport, EveryColumnIsDocumented) {
  const std::filesystem::path path = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "docs/csv.md";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty()) << path;
  const auto records = parse(csv_report({}));
  for (const std::string& column : records.at(0)) {
    EXPECT_THAT(text, HasSubstr("`" + column + "`"));
  }
}

TEST(CsvReport, NothingIsAHeaderAlone) {
  EXPECT_EQ(parse(csv_report({})).size(), 1U);
}

}  // namespace
}  // namespace breakeven
