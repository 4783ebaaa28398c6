#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "reports/text.h"
#include "reports/tool_report.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> tool_names(std::span<const Result> results) {
  std::vector<std::string> all;
  for (const NamedCase& named : named_cases(results)) all.push_back(named.name);
  return all;
}

TEST(ToolReport, NamesSayTheMachineOnlyWhereThereAreSeveral) {
  const Result one = sample::result({sample::product("a", 64, 1)});
  Result other = one;
  EXPECT_THAT(tool_names(std::array{one}), ElementsAre("matmul/m=64/f32/a"));
  other.host.name = "other";
  EXPECT_THAT(tool_names(std::array{one, other}),
              ElementsAre("matmul/m=64/f32/a/host", "matmul/m=64/f32/a/other"));
}

TEST(ToolReport, WhatIsMeasuredTwiceHasTwoNames) {
  const Result one = sample::result({sample::product("a", 64, 1)});
  EXPECT_THAT(tool_names(std::array{one, one, one}),
              ElementsAre("matmul/m=64/f32/a", "matmul/m=64/f32/a (2)", "matmul/m=64/f32/a (3)"));
}

TEST(ToolReport, HostileNamesAreUniqueOfOneLineAndNotTooLong) {
  const Result run = sample::hostile();
  const auto all = tool_names(std::array{run, run});
  EXPECT_EQ(all.size(), 2 * run.cases.size());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  for (const std::string& name : all) {
    EXPECT_FALSE(name.empty());
    EXPECT_LE(name.size(), 1024U);
    EXPECT_EQ(printable(name), name) << "no character was cut in half";
  }
}

TEST(ToolReport, ANumberTellsApartWhatHasTheSameIdBackendAndMachine) {
  const Result run = sample::hostile();
  const std::array twice{run, run};
  std::set<std::tuple<std::string, std::string, std::string, std::size_t>> all;
  for (const NamedCase& named : named_cases(twice))
    all.emplace(printable(named.result->id), printable(named.result->backend), named.machine, named.number);
  EXPECT_EQ(all.size(), 2 * run.cases.size());
}

TEST(ToolReport, ASpeedIsWhatAllUnitsCanHold) {
  for (const double seconds : {1e-9, 1.0, 1e5})
    EXPECT_TRUE(speed(sample::product("a", 64, seconds))) << seconds;
  for (const double seconds : {0.0, -1.0, 1e300, 1e-310, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(speed(sample::product("a", 64, seconds))) << seconds;
  CaseResult wrong = sample::product("a", 64, 1);
  wrong.status = Status::wrong;
  EXPECT_FALSE(speed(wrong)) << "a wrong answer has none";
  EXPECT_EQ(speed(sample::product("a", 64, 1, std::nullopt)).value_or(Speed{}).low, std::nullopt);
}

}  // namespace
}  // namespace breakeven
