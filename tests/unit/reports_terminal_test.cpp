#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <sstream>

#include "reports/terminal.h"
#include "reports/text.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::size_t widest(const std::string& text) {
  std::size_t columns = 0;
  for (const std::string& line : lines(text)) columns = std::max(columns, display_width(line));
  return columns;
}

Result everything() {
  Result result = sample::result(
      {sample::product("onednn", 1024, 6.51e-3), sample::product("openblas", 1024, 6.55e-3),
       sample::product("a-backend-with-a-long-name", 1024, 1.2),
       sample::refused(
           sample::product("cuda", 1024, 1), Status::failed,
           "the backend was killed by signal 11 (Segmentation fault) while it prepared this case, "
           "and its last words on standard error were these, which go on for quite a while"),
       sample::refused(sample::product("blis", 1024, 1), Status::out_of_memory, ""),
       sample::training("openblas"), sample::training("onednn")});
  result.cases[0].warnings.push_back("the CPU was throttled");
  result.backends = {sample::backend("openblas", true), sample::backend("cuda", false, "libcuda.so.1: no")};
  return result;
}

TEST(TerminalReport, ShowsTimeIntervalRateAndStanding) {
  const Result result = sample::result(
      {sample::product("openblas", 1024, 12e-3, 0.012), sample::product("onednn", 1024, 6e-3)});
  EXPECT_EQ(terminal_report(result, {}),
            "Which is faster?\n"
            "host: A CPU, 2 cores, 2 threads\n"
            "\n"
            "matmul         time    95%  GFLOP/s  compared\n"
            "1024 x 1024 x 1024 f32\n"
            "  onednn    6.00 ms  ±1.0%      358  fastest\n"
            "  openblas  12.0 ms  ±1.2%      179  2.0x slower\n"
            "\n"
            "1 problem, 2 results: 2 ok\n");
}

TEST(TerminalReport, ShowsWhatIsNotOkWithItsReason) {
  const std::string report = terminal_report(everything(), {.width = 120});
  EXPECT_THAT(report, HasSubstr("failed: the backend was killed by signal 11"));
  EXPECT_THAT(report, HasSubstr("out of memory: no reason was given"));
  EXPECT_THAT(report, HasSubstr("2 problems, 7 results: 5 ok, 1 out of memory, 1 failed\n"));
  EXPECT_THAT(report, HasSubstr("warning: the CPU was throttled (onednn, matmul 1024 x 1024 x 1024 f32)"));
  EXPECT_THAT(report, HasSubstr("cuda is not available: libcuda.so.1: no"));
}

TEST(TerminalReport, ShowsTraining) {
  const std::string report = terminal_report(everything(), {.width = 120});
  for (const char* part : {"samples/s", "64000", "2.35 → 0.412", "89.7%", "34.2 s", "935 ms"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
  Result result = sample::result({sample::training("a")});
  result.cases[0].training->seconds_to_accuracy.reset();
  EXPECT_THAT(terminal_report(result, {.width = 120}), HasSubstr("not reached"));
  result.cases[0].training->loss.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(terminal_report(result, {.width = 120}), HasSubstr("2.35 → diverged"));
}

TEST(TerminalReport, ShowsLatencyAndBandwidth) {
  CaseResult inference = sample::training("a");
  inference.training.reset();
  inference.latency = Latency{.p50 = 1e-3, .p99 = 4.2e-3, .count = 100};
  CaseResult copy = sample::product("a", 64, 1e-3);
  copy.flop = 0;
  const std::string report = terminal_report(sample::result({inference, copy}), {.width = 100});
  EXPECT_THAT(report, HasSubstr("4.20 ms"));
  EXPECT_THAT(report, HasSubstr("GB/s"));
  EXPECT_THAT(report, Not(HasSubstr("GFLOP/s")));
}

TEST(TerminalReport, FitsItsWidthAndDropsNothing) {
  for (const int width : {40, 60, 80, 100, 200}) {
    const std::string report = terminal_report(everything(), {.width = width});
    EXPECT_LE(widest(report), static_cast<std::size_t>(width)) << report;
    for (const char* part : {"6.51 ms", "as fast", "64000", "2.35 → 0.412", "89.7%", "failed:", "34.2 s"}) {
      EXPECT_THAT(report, HasSubstr(part)) << width;
    }
  }
}

TEST(TerminalReport, ColourChangesNothingElse) {
  const Result result = everything();
  std::string coloured = terminal_report(result, {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;32mfastest\x1b[0m"));
  for (std::size_t at = 0; (at = coloured.find('\x1b', at)) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  // Spaces at the end of a line are all that may differ: inside a colour they stay.
  EXPECT_EQ(lines(coloured).size(), lines(terminal_report(result, {})).size());
  EXPECT_THAT(terminal_report(result, {}), Not(HasSubstr("\x1b")));
}

TEST(TerminalReport, PlainTerminalsGetAscii) {
  const std::string report = terminal_report(everything(), {.width = 60, .unicode = false});
  for (const char c : report) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(report, HasSubstr("+-1.0%"));
  EXPECT_LE(widest(report), 60U);
}

TEST(TerminalReport, TextFromElsewhereCannotSteerTheTerminal) {
  Result result = everything();
  const std::string evil = "x\x1b]0;owned\x07\x1b[2J\r\nfake line: 1 ok";
  result.host.name = result.host.cpu = evil;
  result.config = R"({"title": "\u001b[2J"})";
  result.warnings.push_back(evil);
  for (CaseResult& r : result.cases) {
    r.backend += evil;
    r.op += evil;
    r.label = evil;
    r.reason = evil;
  }
  for (BackendRecord& b : result.backends) b.name = b.reason = b.device_name = evil;
  const std::string report = terminal_report(result, {.width = 80});
  for (const char c : report) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  for (const std::string& line : lines(report)) EXPECT_NE(line.rfind("fake line", 0), 0U);
}

TEST(TerminalReport, UnknownIsNeverZero) {
  Result result = sample::result({sample::product("a", 64, std::numeric_limits<double>::quiet_NaN())});
  const std::string report = terminal_report(result, {});
  EXPECT_THAT(report, HasSubstr("unknown"));
  EXPECT_THAT(report, Not(HasSubstr("nan")));
  result.cases[0].seconds.reset();
  EXPECT_THAT(terminal_report(result, {}), Not(HasSubstr(" 0 ")));
}

TEST(TerminalReport, SaysWhenTheRunIsIncompleteOrEmpty) {
  Result result = sample::result({});
  result.complete = false;
  EXPECT_THAT(terminal_report(result, {}), HasSubstr("No case was measured"));
  EXPECT_THAT(terminal_report(result, {}), HasSubstr("incomplete: the run ended before"));
}

TEST(TerminalReport, TenThousandCasesAreNoWait) {
  std::vector<CaseResult> cases;
  for (std::int64_t m = 1; m <= 2500; ++m) {
    for (const char* backend : {"openblas", "onednn", "cuda", "blis"}) {
      cases.push_back(sample::product(backend, m, 1e-6 * static_cast<double>(m)));
      cases.back().warnings.push_back("throttled");
    }
  }
  const Result result = sample::result(std::move(cases));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(terminal_report(result, {}), HasSubstr("10000 ok"));
  // A quadratic search takes minutes; what is allowed for here is a slow, busy, instrumented machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace breakeven
