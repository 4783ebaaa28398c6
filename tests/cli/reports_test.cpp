// Tests `report` in every form, on the file of a run with simulated backends. The Python files beside this
// one test that other programs can read these forms.
#include <algorithm>
#include <cstdlib>
#include <regex>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class Reports : public DriverTest {
 protected:
  /// The file of a run in which backend b is wrong at size 16.
  std::filesystem::path measured() const {
    with_status(1, breakeven({"run", products({8, 16}), "--out", file("out.json")},
                             "noise=0.01,seed=7,fault=nan,at=verify,backend=b,case=m=16"));
    return file("out.json");
  }

  /// The file of a run that has a chart.
  std::filesystem::path sizes() const {
    breakeven({"run", products({8, 16, 32}), "--out", file("sizes.json"), "--quiet"});
    return file("sizes.json");
  }

  /// The options of `report` that write a file, in its help.
  std::vector<std::string> every_form() const {
    const std::string help = breakeven({"report", "--help"}).out;
    const std::regex option("(--[a-z-]+) FILE");
    std::vector<std::string> forms;
    for (std::sregex_iterator at(help.begin(), help.end(), option); at != std::sregex_iterator(); ++at)
      forms.push_back((*at)[1]);
    return forms;
  }

  /// The options of every_form() that accept a result.
  std::vector<std::string> forms_of(const std::filesystem::path& result) const {
    std::vector<std::string> forms = every_form();
    std::erase_if(forms, [&](const std::string& form) {
      const Outcome outcome = breakeven({"report", result, form, "-"});
      return outcome.err.find("and none was given") != std::string::npos;
    });
    return forms;
  }
};

TEST_F(Reports, EveryFormAtOnce) {
  const std::filesystem::path result = measured();
  const std::vector<std::string> forms = forms_of(result);
  EXPECT_THAT(forms, SizeIs(Ge(9U)));
  std::vector<std::string> arguments{"report", result};
  for (const std::string& form : forms) arguments.insert(arguments.end(), {form, file(form.substr(2))});
  const Outcome outcome = with_status(0, breakeven(arguments));
  EXPECT_EQ(outcome.out, "");

  const std::string good = product_id(8) + "/a";
  const std::string wrong = product_id(16) + "/b";
  EXPECT_EQ(parse_file(file("bencher")).size(), 3U);
  EXPECT_GT(parse_file(file("bencher")).at(good).at("latency").at("value"), 0);
  EXPECT_TRUE(parse_file(file("bencher")).at(good).at("latency").contains("lower_value"));
  EXPECT_EQ(parse_file(file("github")).size(), 3U);
  const Json rows = parse_file(file("google-benchmark")).at("benchmarks");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(std::count_if(
                rows.begin(), rows.end(),
                [&](const Json& row) { return row.contains("error_occurred") && row.at("name") == wrong; }),
            1);
  EXPECT_THAT(text_of(file("openmetrics")), HasSubstr("status=\"wrong\""));
  EXPECT_THAT(text_of(file("openmetrics")), EndsWith("# EOF\n"));
  EXPECT_THAT(text_of(file("junit")), StartsWith("<?xml version=\"1.0\" encoding=\"utf-8\"?>"));
  EXPECT_THAT(text_of(file("junit")), HasSubstr("failures=\"1\""));
  EXPECT_THAT(text_of(file("markdown")), StartsWith("# "));
  EXPECT_THAT(text_of(file("csv")), StartsWith("created,"));
  EXPECT_THAT(outcome.err, HasSubstr("--bencher: 1 case left out"));
  EXPECT_THAT(outcome.err, HasSubstr("--github: 1 case left out"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'),
            static_cast<std::ptrdiff_t>(2 + forms.size()))
      << "these two, and every file: " << outcome.err;
}

TEST_F(Reports, DashIsStandardOutputAlone) {
  const auto result = measured();
  for (const std::string& form : forms_of(result)) {
    const Outcome outcome = breakeven({"report", result, form, "-"});
    EXPECT_EQ(outcome.status, 0) << form;
    EXPECT_EQ(breakeven({"report", result, form, file("same")}).out, "") << form;
    EXPECT_EQ(outcome.out, text_of(file("same"))) << form;
  }
}

TEST_F(Reports, BeginWithTheTopicThatIsAsked) {
  const auto path = sizes();
  const Outcome asked = with_status(0, breakeven({"report", path, "--asks", "operands", "--answers", "-"}));
  EXPECT_THAT(asked.out, StartsWith("Not answered: no problem was measured both with reused and with "
                                    "rotating operands.\n"));
  const Outcome unknown = with_status(2, breakeven({"report", path, "--asks", "operand"}));
  EXPECT_THAT(unknown.err, HasSubstr("operands"));
}

TEST_F(Reports, EndWithTheLargestBatchWithinALimit) {
  const std::filesystem::path zen5 =
      std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "results" / "epyc-zen5-2-cores";
  EXPECT_THAT(with_status(0, breakeven({"report", zen5 / "inference.json", "--p99", "200us"})).out,
              HasSubstr("Zen 5, 2 cores answers batches up to 8"));
  const Outcome refused =
      with_status(2, breakeven({"report", zen5 / "matmul.json", "--p99", "5ms", "--html", file("x.html")}));
  EXPECT_THAT(refused.err, HasSubstr("--p99 needs latencies"));
  EXPECT_FALSE(std::filesystem::exists(file("x.html")));
  const auto config = write("products.json", R"({"title": "Products", "workloads": [
      {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}]})");
  EXPECT_THAT(with_status(2, breakeven({"run", config, "--p99", "5ms", "--out", file("x.json")})).err,
              HasSubstr("--p99 needs latencies"));
  EXPECT_FALSE(std::filesystem::exists(file("x.json")));
}

TEST_F(Reports, ChartsAreListedAndDrawn) {
  const auto path = sizes();
  const Outcome listed = breakeven({"report", path, "--list-charts"});
  EXPECT_EQ(listed.out, "matmul-m  Matrix products: GFLOP/s by m\n");
  const Outcome drawn = breakeven({"report", path, "--chart", "matmul-m=" + file("a.svg").string()});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(drawn.err, "Saved: " + file("a.svg").string() + "\n");
  EXPECT_THAT(text_of(file("a.svg")), AllOf(StartsWith("<svg "), HasSubstr("Matrix products: GFLOP/s by m"),
                                            HasSubstr(">a</text>"), EndsWith("</svg>\n")));
}

TEST_F(Reports, ChartsAreDrawnAsPng) {
  if (std::system("command -v rsvg-convert >/dev/null 2>&1") != 0) GTEST_SKIP() << "rsvg-convert is not here";
  const auto path = sizes();
  const Outcome drawn = breakeven({"report", path, "--chart", "matmul-m=" + file("a.png").string()});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(drawn.err, "Saved: " + file("a.png").string() + "\n");
  EXPECT_THAT(text_of(file("a.png")), StartsWith("\x89PNG"));
}

TEST_F(Reports, PngWithoutItsProgramIsRefusedAndLeavesNothing) {
  const auto path = sizes();
  Launch without = launch({"report", path, "--chart", "matmul-m=" + file("a.png").string()});
  without.environment.emplace_back("PATH", file("nowhere").string());
  const Outcome refused = with_status(2, run(without));
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("PNG needs rsvg-convert, which is not installed"), HasSubstr("librsvg2-bin")));
  EXPECT_FALSE(std::filesystem::exists(file("a.png")));
}

TEST_F(Reports, AChartThatIsNotThereIsNamed) {
  const auto path = sizes();
  EXPECT_THAT(with_status(2, breakeven({"report", path, "--chart", "matmul-n=x.svg"})).err,
              HasSubstr("there is no chart 'matmul-n' here; did you mean 'matmul-m'?"));
  EXPECT_THAT(with_status(2, breakeven({"report", path, "--chart", "matmul-m"})).err,
              HasSubstr("--chart matmul-m=chart.svg"));
}

TEST_F(Reports, SeveralResultsHaveUniqueNames) {
  const auto result = measured();
  const Json once = parse(breakeven({"report", result, "--bencher", "-"}).out);
  const Json twice = parse(breakeven({"report", result, result, "--bencher", "-"}).out);
  EXPECT_EQ(twice.size(), 2 * once.size());
}

/// Files of a kind that a form cannot show are left out, and reported.
TEST_F(Reports, AFormSaysWhichFilesItLeavesOut) {
  const std::string result = sizes().string();
  const std::string verdicts = file("verdicts.json").string();
  breakeven({"compare", result, result, "--out", verdicts, "--quiet"});
  EXPECT_THAT(with_status(0, breakeven({"report", result, verdicts, "--csv", file("csv")})).err,
              HasSubstr("--csv: 1 file of verdicts left out: this format takes only results\n"));
  EXPECT_THAT(
      with_status(0, breakeven({"report", result, verdicts, "--annotations", file("notes")})).err,
      HasSubstr("--annotations: 1 result file left out: this format takes only verdicts or a history\n"));
  EXPECT_THAT(with_status(2, breakeven({"report", result, verdicts, "--html", file("html")})).err,
              HasSubstr("one file of this format holds one report"));
  EXPECT_FALSE(exists(file("html")));
  EXPECT_THAT(with_status(2, breakeven({"report", "-", "-"})).err, HasSubstr("- is given twice"));
  const std::string fleet = write("fleet.json", R"({"schema": "breakeven.fleet/1"})").string();
  EXPECT_THAT(with_status(0, breakeven({"report", result, fleet})).err,
              HasSubstr("fleet.json is a table of a fleet's nodes (`breakeven fleet` shows it"));
}

/// All spellings that the C library accepts.
TEST_F(Reports, AnyUtf8LocaleShowsUnicode) {
  const auto path = sizes();
  const auto answer = [&](const char* locale) {
    Launch report = launch({"report", path});
    report.environment.emplace_back("LC_ALL", locale);
    return run(report).out;
  };
  const std::string unicode = answer("en_US.UTF-8");
  EXPECT_NE(answer("C"), unicode);
  for (const char* locale : {"en_US.UTF8", "en_US.utf8", "en_US.utf-8"}) EXPECT_EQ(answer(locale), unicode);
}

TEST_F(Reports, TwoFormsInOneFileAreRefused) {
  const auto result = measured();
  std::filesystem::create_symlink("both", file("link"));
  for (const auto& [first, second] : {std::pair<std::string, std::string>{"-", "-"},
                                      {file("both"), file("both")},
                                      {file("both"), file(".") / "both"},
                                      {file("both"), file("link")}}) {
    const Outcome outcome = breakeven({"report", result, "--junit", first, "--bencher", second});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("--bencher and --junit would both write to"));
    EXPECT_THAT(outcome.err, HasSubstr("give each a file of its own"));
  }
  const std::string picture = file("both.svg");
  for (const std::vector<std::string>& second : {std::vector<std::string>{"--chart", "matmul-n=" + picture},
                                                 std::vector<std::string>{"--html", picture}}) {
    std::vector<std::string> arguments{"report", result, "--chart", "matmul-m=" + picture};
    arguments.insert(arguments.end(), second.begin(), second.end());
    EXPECT_THAT(with_status(2, breakeven(arguments)).err, HasSubstr("--chart matmul-m and " + second[0]));
  }
  EXPECT_FALSE(exists(file("both")));
  EXPECT_FALSE(exists(file("both.svg")));
}

TEST_F(Reports, AnInputIsNotReplaced) {
  const auto result = measured();
  const std::string before = text_of(result);
  std::filesystem::create_symlink(result, file("link.json"));
  for (const std::string& form : every_form()) {
    for (const auto& output : {result, file("link.json"), file(".") / "out.json"}) {
      const Outcome outcome = breakeven({"report", result, form, output});
      EXPECT_EQ(outcome.status, 2) << form;
      EXPECT_THAT(outcome.err, HasSubstr("is an input of this command; give another file")) << form;
    }
  }
  EXPECT_EQ(breakeven({"report", result, "--chart", "matmul-m=" + result.string()}).status, 2);
  EXPECT_EQ(breakeven({"compare", result, result, "--out", file("link.json")}).status, 2);
  EXPECT_EQ(breakeven({"rank", result, result, "--markdown", result}).status, 2);
  EXPECT_EQ(text_of(result), before);
}

TEST_F(Reports, APathThatNamesNoFileIsRefused) {
  const auto result = measured();
  for (const std::string& form : every_form()) {
    const Outcome nothing = breakeven({"report", result, form, ""});
    EXPECT_EQ(nothing.status, 2) << form;
    EXPECT_EQ(nothing.err, "breakeven: " + form + ": is empty; give a value, or leave it out\n");
    const Outcome folder = breakeven({"report", result, form, folder_.path()});
    EXPECT_EQ(folder.status, 2) << form;
    EXPECT_THAT(folder.err, HasSubstr("is a folder; name a file in it")) << form;
  }
}

TEST_F(Reports, AnOlderFileStaysWhereTheNewOneCannotBeMade) {
  const auto result = measured();
  write("page.html", "old");
  const Outcome outcome = with_status(2, breakeven({"report", result, "--html", file("page.html"), "--csv",
                                                    file("out.json") / "below-a-file"}));
  EXPECT_THAT(outcome.err, HasSubstr("cannot be written: Not a directory; name another file"));
  EXPECT_EQ(text_of(file("page.html")), "old");
}

TEST_F(Reports, AFileThatCannotBeWrittenIsAnError) {
  const auto result = measured();
  for (const std::string& form : every_form()) {
    const Outcome outcome = breakeven({"report", result, form, file("out.json") / "below-a-file"});
    EXPECT_EQ(outcome.status, 2) << form;
    EXPECT_THAT(outcome.err, HasSubstr("cannot be written")) << form;
  }
  EXPECT_FALSE(exists(file("out.json.part")));
}

TEST_F(Reports, WhatIsNoResultIsRefusedBeforeAnythingIsWritten) {
  EXPECT_THAT(with_status(2, breakeven({"report", write("bad.json", "{"), "--junit", file("junit")})).err,
              HasSubstr("bad.json"));
  EXPECT_FALSE(exists(file("junit")));
}

}  // namespace
}  // namespace breakeven::cli_tests
