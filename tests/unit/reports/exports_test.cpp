// Tests every format that programs read: its text for the files in tests/golden, and that no text from other
// programs breaks it. In tests/cli, other programs' readers and schemas check them.
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "json/text.h"
#include "reports/exports/format.h"
#include "reports/text.h"
#include "results/google_benchmark.h"
#include "unit/document_texts.h"
#include "unit/hostile_sample.h"
#include "unit/temporary_folder.h"
#include "unit/verdicts_sample.h"
#include "unit/well_formed.h"
#include "verdicts/measured.h"

namespace breakeven {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::set<std::string> for_people{"--answers", "--html", "--markdown"};

const fs::path golden_folder = fs::path(BREAKEVEN_SOURCE_DIR) / "tests/golden";

std::string golden_text(const fs::path& file) {
  EXPECT_TRUE(exists(golden_folder / file)) << file;
  return read_file(golden_folder / file);
}

/// The result files of a folder, by name.
Measured golden_results(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(golden_folder / folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return read_measured(files);
}

FormattedReport exported(const std::string& option, const Subject& subject) {
  for (const OutputFormat& format : all_formats()) {
    if (format.option == option) return format.format(subject);
  }
  throw std::out_of_range(option);
}

FormattedReport exported(const std::string& option, const std::vector<Result>& results) {
  const Measured measured{.results = results, .thresholds = {}};
  return exported(option, &measured);
}

// ---- golden files: each format that takes what a folder holds, new ones too

struct Golden {
  std::string folder, option;
};

std::vector<Golden> golden_files() {
  std::vector<Golden> all;
  for (const auto& [folder, formats] :
       {std::pair{"rich", formats_for<Measured>()}, std::pair{"several", formats_for<Measured>()},
        std::pair{"verdicts", formats_for<Verdicts>()}}) {
    for (const OutputFormat* format : formats) {
      if (!for_people.contains(format->option)) all.push_back({.folder = folder, .option = format->option});
    }
  }
  return all;
}

class Exports : public testing::TestWithParam<Golden> {};

TEST_P(Exports, AreAsInTheGoldenFiles) {
  const auto& [folder, option] = GetParam();
  std::string text;
  if (folder == "verdicts") {
    const fs::path file = golden_folder / folder / "verdicts.json";
    text = exported(option, &read_measured(std::span(&file, 1)).verdicts.front()).text;
  } else {
    text = exported(option, golden_results(folder).results).text;
  }
  const fs::path file = fs::path(folder) / option.substr(2);
  EXPECT_EQ(text, golden_text(file)) << "if that is meant: breakeven report tests/golden/" << folder
                                     << "/*.json " << option << " tests/golden/" << file.string();
}

INSTANTIATE_TEST_SUITE_P(All, Exports, testing::ValuesIn(golden_files()), [](const auto& test) {
  std::string name = test.param.folder + "_" + test.param.option.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ExportFormats, AreSortedByOption) {
  std::vector<std::string> options;
  for (const OutputFormat* format : formats_for<Measured, Verdicts>()) options.push_back(format->option);
  EXPECT_TRUE(std::is_sorted(options.begin(), options.end()));
  EXPECT_EQ(std::set<std::string>(options.begin(), options.end()).size(), options.size());
  EXPECT_THAT(options, testing::IsSupersetOf({"--annotations", "--csv", "--junit", "--out"}));
}

TEST(ExportFormats, CountWhatTheyLeaveOut) {
  const Measured rich = golden_results("rich");
  for (const auto& [option, cases] : std::map<std::string, std::size_t>{{"--bencher", 9},
                                                                        {"--csv", 0},
                                                                        {"--github", 10},
                                                                        {"--google-benchmark", 3},
                                                                        {"--junit", 0},
                                                                        {"--openmetrics", 0}})
    EXPECT_EQ(exported(option, &rich).cases_left_out, cases) << option;
  const Measured with_threshold{.results = rich.results, .thresholds = {Threshold{}}};
  EXPECT_EQ(exported("--csv", &with_threshold).files_left_out, 1U);
  EXPECT_EQ(exported("--html", &with_threshold).files_left_out, 0U);
}

TEST(ExportFormats, OfNoCasesAreWhole) {
  EXPECT_EQ(exported("--bencher", std::vector<Result>()).text, "{}\n");
  EXPECT_EQ(exported("--github", std::vector<Result>()).text, "[]\n");
  EXPECT_EQ(exported("--openmetrics", std::vector<Result>()).text, "# EOF\n");
  EXPECT_EQ(lines_of(exported("--csv", std::vector<Result>()).text).size(), 1U);
  EXPECT_TRUE(
      parse_strictly(exported("--google-benchmark", std::vector<Result>()).text).at("benchmarks").empty());
}

TEST(ExportFormats, CsvColumnsAreDocumented) {
  const std::string documented = read_file(fs::path(BREAKEVEN_SOURCE_DIR) / "docs/reports.md");
  std::istringstream header(lines_of(exported("--csv", std::vector<Result>()).text).at(0));
  for (std::string column; std::getline(header, column, ',');)
    EXPECT_THAT(documented, HasSubstr("`" + column.substr(0, column.find('\r')) + "`"));
}

TEST(ExportFormats, GoogleBenchmarkIsReadBackAsWhatItWas) {
  CaseResult good = sample::product("a", 64, 0.5);
  good.cpu_seconds = 1;
  const Result run = sample::result(
      {good, sample::refused(sample::product("b", 64, 1), Status::out_of_memory, "too large")});
  const Result back = google_benchmark_from_text(exported("--google-benchmark", {run}).text, "file");
  ASSERT_EQ(back.cases.size(), 2U);
  EXPECT_EQ(back.host.name, "host");
  EXPECT_EQ(back.created, run.created);
  EXPECT_EQ(back.cases[0].id, "matmul/m=64/n=64/k=64/f32/a");
  ASSERT_TRUE(back.cases[0].seconds);
  EXPECT_DOUBLE_EQ(back.cases[0].seconds->median, 0.5);
  EXPECT_EQ(back.cases[1].status, Status::failed);
  EXPECT_EQ(back.cases[1].reason, "out_of_memory: too large");
}

// ---- hostile text and numbers, in two files that are the same

class HostileExports : public testing::Test {
 protected:
  HostileExports() {
    run_.cases[0].conditions.cpu_mhz = 1e300;  // no integer holds it
  }
  FormattedReport exported_twice(const std::string& option) const { return exported(option, {run_, run_}); }
  std::size_t cases() const { return 2 * run_.cases.size(); }
  /// Checks that `name` is of one line, at most as long as Bencher takes, and new.
  void expect_new_name(const std::string& name) {
    EXPECT_TRUE(names_.insert(name).second) << name;
    EXPECT_EQ(printable(name), name) << "no character was cut in half";
    EXPECT_LE(name.size(), 1024U);
    EXPECT_FALSE(name.empty());
  }

  Result run_ = sample::hostile();
  std::set<std::string> names_;
};

TEST_F(HostileExports, JsonIsStrict) {
  const FormattedReport github = exported_twice("--github");
  const auto entries = parse_strictly(github.text);
  EXPECT_EQ(entries.size() + github.cases_left_out, cases());
  for (const auto& entry : entries) {
    expect_new_name(entry.at("name"));
    EXPECT_TRUE(entry.at("value").is_number()) << entry;
  }
  names_.clear();
  const FormattedReport google = exported_twice("--google-benchmark");
  const auto rows = parse_strictly(google.text);
  EXPECT_EQ(rows.at("benchmarks").size() + google.cases_left_out, cases());
  EXPECT_FALSE(rows.at("context").contains("mhz_per_cpu"));
  for (const auto& row : rows.at("benchmarks")) {
    expect_new_name(row.at("name"));
    for (const auto& [key, value] : row.items()) EXPECT_FALSE(value.is_null()) << key << row;
  }
  names_.clear();
  const FormattedReport bencher = exported_twice("--bencher");
  const auto by_name = parse_strictly(bencher.text);
  EXPECT_EQ(by_name.size() + bencher.cases_left_out, cases());
  for (const auto& [name, measures] : by_name.items()) {
    expect_new_name(name);
    for (const auto& [measure, values] : measures.items()) {
      for (const auto& [key, value] : values.items())
        EXPECT_TRUE(value.is_number()) << name << measure << key;
    }
  }
}

TEST_F(HostileExports, CsvHasAsManyCellsInEachRecord) {
  const std::string text = exported_twice("--csv").text;
  for (const auto& [option, separator] :
       {std::pair{"--csv", ','}, {"--csv-point", ','}, {"--csv-comma", ';'}}) {
    const auto cells = well_formed::csv_cells(exported_twice(option).text, separator);
    EXPECT_EQ(cells.size(), cases() + 1) << "a header, too";
    EXPECT_EQ(std::set<std::size_t>(cells.begin(), cells.end()).size(), 1U) << option;
  }
  for (const char* formula : {",=", ",@", ",\"=", ",\"@"}) EXPECT_EQ(text.find(formula), std::string::npos);
}

TEST(OpenMetrics, AShardIsNotComplete) {
  std::vector<Result> results{sample::result({})};
  results[0].shard =
      ShardRecord{.shard = {.number = 1, .count = 4}, .cases = 4, .fingerprint = "", .positions = {0}};
  EXPECT_THAT(exported("--openmetrics", results).text, HasSubstr("breakeven=\"0.1.0\"} 0\n"));
  results[0].shard.reset();
  EXPECT_THAT(exported("--openmetrics", results).text, HasSubstr("breakeven=\"0.1.0\"} 1\n"));
}

TEST_F(HostileExports, OpenMetricsHasNoSeriesTwice) {
  const std::string text = exported_twice("--openmetrics").text;
  // The grammar of a sample in OpenMetrics 1.0, with the metrics and labels that are ours.
  static const std::regex sample(
      R"re((breakeven_[a-z0-9_]+\{[a-z]+="(?:[^"\\]|\\["\\])*"(?:,[a-z]+="(?:[^"\\]|\\["\\])*")*\}) -?[0-9][-+.e0-9]*)re");
  std::set<std::string> series;
  std::size_t states = 0;
  for (const std::string& line : lines_of(text)) {
    EXPECT_EQ(printable(line), line);
    if (line.rfind("# TYPE ", 0) == 0) {
      EXPECT_TRUE(series.insert(line).second) << line;
    }
    if (line.rfind("# ", 0) == 0) continue;
    // std::regex recurses: beyond some thousand characters it overflows the stack
    if (line.size() < 2000) {
      EXPECT_TRUE(std::regex_match(line, sample)) << line;
    }
    EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
    if (line.rfind("breakeven_case_status", 0) == 0) ++states;
  }
  EXPECT_EQ(states, cases());
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
}

boost::property_tree::ptree suites_of(const std::string& text) {
  return well_formed::xml_of(text).get_child("testsuites");
}

TEST_F(HostileExports, JunitHasUniqueNames) {
  const auto root = suites_of(exported_twice("--junit").text);
  std::set<std::string> suites;
  for (const auto& [key, suite] : root) {
    if (key != "testsuite") continue;
    EXPECT_TRUE(suites.insert(suite.get<std::string>("<xmlattr>.name")).second);
    for (const auto& [kind, test] : suite) {
      if (kind == "testcase") expect_new_name(test.get<std::string>("<xmlattr>.name"));
    }
  }
  EXPECT_EQ(names_.size(), cases() + 2) << "and one for each run that did not end";
}

TEST(ExportFormats, JunitHoldsMarkupAsTextAndKeepsLines) {
  const std::string hostile = R"(</a><!-- ]]> " ' & &amp; <![CDATA[ <?php)";
  Result run = sample::result({sample::product("a", 64, 0.5)});
  run.cases[0].id = hostile;
  run.cases[0].warnings = {quoted_note(hostile), quoted_note("two\xef\xbf\xbe")};
  const std::string text = exported("--junit", {run}).text;
  const auto test = suites_of(text).get_child("testsuite.testcase");
  EXPECT_EQ(test.get<std::string>("<xmlattr>.name"), hostile + "/a");
  EXPECT_THAT(test.get<std::string>("system-out"), HasSubstr("warning: " + hostile));
  EXPECT_THAT(text, HasSubstr("\nwarning: two</system-out>"));
}

// ---- verdicts

TEST(VerdictExports, AnnotationsAreTenAtMostAndCountTheRest) {
  std::vector<CaseVerdict> cases;
  for (int i = 1; i <= 10; ++i) cases.push_back(sample::verdict_of(Verdict::slower, i, 1 + i * 0.1));
  Verdicts verdicts = sample::verdicts(cases);
  EXPECT_EQ(lines_of(exported("--annotations", &verdicts).text).size(), 10U);
  verdicts.cases.push_back(sample::verdict_of(Verdict::slower, 11, 1.05));
  const auto shown = lines_of(exported("--annotations", &verdicts).text);
  ASSERT_EQ(shown.size(), 10U);
  EXPECT_THAT(shown[9], testing::StartsWith("::error title=and 2 more::"));
  verdicts = sample::verdicts({sample::verdict_of(Verdict::same, 3, 1)});
  EXPECT_EQ(exported("--annotations", &verdicts).text, "");
}

TEST(VerdictExports, CannotBeEndedOrContinuedByText) {
  const std::string evil = "a|b\n## %0A \\ \x1b[31m \xff \xe2\x80\xae ::error::x ]]> \"q\" 'r'\r\n, end";
  CaseVerdict c = sample::verdict_of(Verdict::slower, 4, 1.053);
  c.label = c.op = c.backend = c.base_algorithm = evil;
  c.reasons = {quoted_note(evil)};
  c.head_algorithm = evil + "2";
  c.notes = {quoted_note(evil), quoted_note(evil)};
  Verdicts verdicts = sample::verdicts({c, c});
  verdicts.base.source = verdicts.host.name = verdicts.kind = verdicts.created = evil;
  verdicts.warnings = {quoted_note(evil)};
  const auto annotations = lines_of(exported("--annotations", &verdicts).text);
  EXPECT_EQ(annotations.size(), 2U);
  for (const std::string& line : annotations) {
    EXPECT_EQ(line.rfind("::error title=", 0), 0U) << line;
    const std::string property = line.substr(0, line.find("::", 2));
    EXPECT_EQ(property.find(','), std::string::npos) << property;
    for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1))
      EXPECT_THAT(line.substr(at, 3), testing::AnyOf("%25", "%0A", "%0D", "%3A", "%2C")) << line;
  }
  EXPECT_EQ(suites_of(exported("--junit", &verdicts).text).get_child("testsuite").count("testcase"), 2U);
}

}  // namespace
}  // namespace breakeven
