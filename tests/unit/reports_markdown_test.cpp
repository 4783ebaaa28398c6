#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reports/markdown.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string report(const Result& result) {
  return markdown_report({&result, 1});
}

TEST(MarkdownReport, IsATableForEachOperation) {
  Result result =
      sample::result({sample::product("openblas", 1024, 12e-3), sample::product("onednn", 1024, 6e-3)});
  result.backends = {sample::backend("openblas", true)};
  EXPECT_EQ(
      report(result),
      "# Which is faster?\n"
      "\n"
      "| machine | hardware | system | backends | measured |\n"
      "|---|---|---|---|---|\n"
      "| host | A CPU, 2 cores, 2 threads |  | openblas 0.1.0 | 2026-11-01T12:00:00Z, breakeven 0.1.0 |\n"
      "\n"
      "## matmul\n"
      "\n"
      "| problem | backend | time | 95% | GFLOP/s | compared |\n"
      "| --- | --- | ---: | ---: | ---: | --- |\n"
      "| 1024 x 1024 x 1024 f32 | onednn | 6.00 ms | ±1.0% | 358 | **fastest** |\n"
      "|  | openblas | 12.0 ms | ±1.0% | 179 | 2.0x slower |\n");
}

TEST(MarkdownReport, ListsWhatIsNotOkWarningsAndAbsentBackends) {
  Result result =
      sample::result({sample::product("a", 64, 1),
                      sample::refused(sample::product("b", 64, 1), Status::timed_out, "no answer")});
  result.cases[0].warnings.push_back("throttled");
  result.backends = {sample::backend("cuda", false, "no driver")};
  result.complete = false;
  const std::string text = report(result);
  EXPECT_THAT(text, HasSubstr("| b |  |  |  | **timed\\_out** |"));
  EXPECT_THAT(text, HasSubstr("## Not ok\n\n- **timed\\_out: no answer** (b, matmul 64 x 64 x 64 f32)\n"));
  EXPECT_THAT(text, HasSubstr("## Warnings\n\n- **throttled** (a, matmul 64 x 64 x 64 f32)\n"));
  EXPECT_THAT(text, HasSubstr("- **cuda**: no driver\n"));
  EXPECT_THAT(text, HasSubstr("**incomplete**"));
}

TEST(MarkdownReport, PutsMachinesSideBySide) {
  std::vector<Result> results{sample::result({sample::product("a", 64, 2)}),
                              sample::result({sample::product("a", 64, 1)}),
                              sample::result({sample::product("a", 128, 1)})};
  results[1].host.name = "other";
  const std::string text = markdown_report(results);
  EXPECT_THAT(text, HasSubstr("| problem | machine | backend |"));
  EXPECT_THAT(text, HasSubstr("| 64 x 64 x 64 f32 | other | a |"));
  EXPECT_THAT(text, HasSubstr("|  | host (1) | a | 2.00 s |"));
  EXPECT_THAT(text, HasSubstr("| host (3) | a |"));
  EXPECT_EQ(text.find("# Which is faster?"), text.rfind("# Which is faster?"));
}

TEST(MarkdownReport, TextFromElsewhereStaysInItsCell) {
  const std::string evil = "a|b\n## <img src=x> [l](http://e) `c` *d* @someone #1 \\| \x1b[31m ~~e~~ $m$";
  Result result = sample::result({sample::product(evil, 64, 1), sample::product("b", 64, 2)});
  result.cases[0].label = result.cases[0].op = evil;
  result.cases[1] = sample::refused(result.cases[1], Status::failed, evil);
  result.cases[1].id = "other";
  result.cases[0].warnings = result.warnings = {evil};
  result.host.name = result.host.cpu = evil;
  result.backends = {sample::backend(evil, true), sample::backend(evil, false, evil)};
  const std::string text = report(result);
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("@someone")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\n## &lt;")));
  EXPECT_THAT(text, HasSubstr("\\[l\\](http://e) \\`c\\` \\*d\\*"));
  // Every row of a table has as many cells as its header.
  std::istringstream stream(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(stream, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    if (line.empty() || line[0] != '|') {
      columns = 0;
    } else if (columns == 0) {
      columns = bars;
    } else {
      EXPECT_EQ(bars, columns) << line;
    }
  }
}

TEST(MarkdownReport, OfNothingSaysSo) {
  EXPECT_THAT(report(sample::result({})), HasSubstr("No case was measured."));
}

}  // namespace
}  // namespace breakeven
