#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>
#include <sstream>

#include "reports/openmetrics.h"
#include "reports/text.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> openmetrics_lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string openmetrics_of(const Result& run) {
  return openmetrics_report({&run, 1}).text;
}

TEST(OpenMetricsReport, HasAGaugeForWhatIsKnown) {
  CaseResult r = sample::product("a", 64, 0.5);
  r.joules = 3;
  const std::string text = openmetrics_of(sample::result({r}));
  EXPECT_THAT(text, HasSubstr("# TYPE breakeven_case_seconds gauge\n"
                              "# UNIT breakeven_case_seconds seconds\n"
                              "# HELP breakeven_case_seconds "));
  const std::string labels =
      R"({machine="host",backend="a",device="cpu",op="matmul",dtype="f32",id="matmul/m=64/f32"})";
  EXPECT_THAT(text, HasSubstr("\nbreakeven_case_seconds" + labels + " 0.5\n"));
  EXPECT_THAT(text, HasSubstr("\nbreakeven_case_ci_low_seconds" + labels + " 0.495\n"));
  EXPECT_THAT(text, HasSubstr("\nbreakeven_case_joules" + labels + " 3\n"));
  EXPECT_THAT(text, HasSubstr("\nbreakeven_run_timestamp_seconds{machine=\"host\",cpu=\"A CPU\""));
  EXPECT_THAT(text, HasSubstr("} 1793534400\n")) << "date -ud 2026-11-01T12:00:00Z +%s";
  EXPECT_THAT(text, Not(HasSubstr("accuracy"))) << "a metric without a series is not described";
  EXPECT_EQ(openmetrics_lines(text).back(), "# EOF");
}

TEST(OpenMetricsReport, WhatFailedHasAStatusAndNoTime) {
  CaseResult wrong = sample::product("b", 64, 1);
  wrong.status = Status::wrong;
  const FormattedReport made = openmetrics_report(std::array{sample::result({wrong})});
  EXPECT_THAT(made.text, HasSubstr(R"(id="matmul/m=64/f32",status="wrong"} 1)"));
  EXPECT_THAT(made.text, Not(HasSubstr("breakeven_case_seconds")));
  EXPECT_EQ(made.cases_left_out, 0U);
}

TEST(OpenMetricsReport, AnInterruptedRunIsNotComplete) {
  Result run = sample::result({});
  run.complete = false;
  run.created = "yesterday";
  EXPECT_THAT(openmetrics_of(run), HasSubstr("\"} 0\n# EOF\n"));
  EXPECT_THAT(openmetrics_of(run), Not(HasSubstr("timestamp"))) << "unknown is not 1970";
}

TEST(OpenMetricsReport, HostileFilesMakeNoOtherForm) {
  const Result run = sample::hostile();
  const std::string text = openmetrics_report(std::array{run, run}).text;
  // The grammar of a sample in OpenMetrics 1.0, with the metrics and labels that are ours.
  static const std::regex sample(
      R"re((breakeven_[a-z0-9_]+\{[a-z]+="(?:[^"\\]|\\["\\])*"(?:,[a-z]+="(?:[^"\\]|\\["\\])*")*\}) -?[0-9][-+.e0-9]*)re");
  std::set<std::string> series;
  std::set<std::string> described;
  std::size_t states = 0;
  for (const std::string& line : openmetrics_lines(text)) {
    EXPECT_EQ(printable(line), line);
    if (line.rfind("# TYPE ", 0) == 0) {
      EXPECT_TRUE(described.insert(line).second) << line;
    }
    if (line.rfind("# ", 0) == 0) continue;
    std::smatch match;
    // std::regex recurses: beyond some thousand characters it overflows the stack
    if (line.size() < 2000) {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
    }
    EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
    if (line.rfind("breakeven_case_status", 0) == 0) ++states;
  }
  EXPECT_EQ(states, 2 * run.cases.size());
  EXPECT_EQ(openmetrics_lines(text).back(), "# EOF");
}

TEST(OpenMetricsReport, NothingIsItsEnd) {
  EXPECT_EQ(openmetrics_report({}).text, "# EOF\n");
}

}  // namespace
}  // namespace breakeven
