// Tests `breakeven compare`, end to end: results of simulated backends, whose times are known, and invalid
// files.
#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CompareCommand : public DriverTest {
 protected:
  /// The results of a run with five launches, `factor` times as slow as usual.
  std::filesystem::path measured(const std::string& name, double factor, const std::string& more = "") const {
    const auto path = file(name);
    const auto two_products = products({8, 16}, {"a"}, {{"launches", 5}, {"max_seconds", 0.5}});
    with_status(0, breakeven({"run", two_products, "--out", path, "--quiet"},
                             fmt::format("noise=0.001,process_noise=0.002,factor={}{}", factor, more)));
    return path;
  }
  /// A result with one case and only the required members.
  static Json small() {
    return {{"schema", "breakeven.result/1"},
            {"complete", true},
            {"tool", Json::object()},
            {"host", Json::object()},
            {"config", Json::object()},
            {"backends", {{{"name", "a"}, {"available", true}}}},
            {"cases",
             {{{"id", "x"},
               {"op", "unknown"},
               {"params", Json::object()},
               {"dtype", "f32"},
               {"backend", "a"},
               {"status", "ok"},
               {"verify", {{"error", 0}, {"tolerance", 0}, {"correct", true}, {"elements", 1}}},
               {"seconds", {{"median", 1.0}, {"samples", {1.0}}, {"launches", {1}}, {"iterations", 1}}}}}}};
  }
  void expect_refused(const std::string& text, const std::string& message) const {
    const auto good = write("good.json", small().dump());
    const auto bad = write("bad.json", text);
    for (const auto& [base, head] : {std::pair(good, bad), std::pair(bad, good)}) {
      const Outcome outcome = breakeven({"compare", base, head});
      EXPECT_EQ(outcome.status, 2) << text.substr(0, 300);
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("bad.json"), HasSubstr(message)));
      EXPECT_EQ(outcome.out, "");
    }
  }
};

TEST_F(CompareCommand, TellsSlowerFasterAndSame) {
  const auto base = measured("base.json", 1);
  const auto same = measured("same.json", 1.002);
  const auto slower = measured("slower.json", 1.1);
  EXPECT_THAT(with_status(0, breakeven({"compare", base, same})).out,
              StartsWith("PASS: none of 2 cases is slower. 2 the same.\n"));
  EXPECT_THAT(with_status(1, breakeven({"compare", base, slower, "--out", file("v.json")})).out,
              StartsWith("FAIL: 2 of 2 cases are slower.\n"));
  const Json verdicts = parse_file(file("v.json"));
  EXPECT_EQ(verdicts.at("exit_status"), 1);
  EXPECT_EQ(verdicts.at("base").at("source"), base.string());
  for (const Json& c : verdicts.at("cases")) {
    EXPECT_EQ(c.at("verdict"), "slower");
    EXPECT_NEAR(c.at("ratio").at("value").get<double>(), 1.1, 0.02);
  }
  EXPECT_EQ(breakeven({"compare", slower, base}).status, 0) << "faster";
  EXPECT_EQ(breakeven({"compare", base, slower, "--threshold", "20%"}).status, 0);
  EXPECT_EQ(breakeven({"compare", base, base}).status, 0);
}

/// With a single launch no change is certain.
TEST_F(CompareCommand, InconclusiveCasesFailAsTheUserSays) {
  const auto once = [&](const std::string& name, double factor) {
    const auto product = products({8}, {"a"}, {{"launches", 1}, {"max_seconds", 0.1}});
    with_status(
        0, breakeven({"run", product, "--out", file(name), "--quiet"}, fmt::format("factor={}", factor)));
    return file(name);
  };
  const auto base = once("base.json", 1);
  const auto head = once("head.json", 1.5);
  EXPECT_EQ(breakeven({"compare", base, head}).status, 3);
  EXPECT_EQ(breakeven({"compare", base, head, "--fail-on", "inconclusive"}).status, 3);
  EXPECT_EQ(breakeven({"compare", base, head, "--fail-on", "slower"}).status, 0);
  EXPECT_EQ(breakeven({"compare", base, head, "--fail-on", "neither"}).status, 2);
}

TEST_F(CompareCommand, AnotherLibraryIsIncomparableUnlessAllowed) {
  const auto base = measured("base.json", 1);
  const auto head = measured("head.json", 1.001, ",version=2.0");
  EXPECT_THAT(with_status(4, breakeven({"compare", base, head})).out,
              AllOf(HasSubstr("different simulated: 1.0 → 2.0"), HasSubstr("--allow")));
  EXPECT_EQ(breakeven({"compare", base, head, "--allow", "library"}).status, 0);
  EXPECT_EQ(breakeven({"compare", base, head, "--allow", "machine,library"}).status, 0);
  EXPECT_EQ(breakeven({"compare", base, head, "--allow", "machine"}).status, 4);
}

TEST_F(CompareCommand, WritesEveryReport) {
  const auto path = write("a.json", small().dump());
  Json wrong = small();
  wrong["cases"][0]["status"] = "wrong";
  wrong["cases"][0]["seconds"] = wrong["cases"][0]["verify"] = nullptr;
  wrong["cases"][0]["reason"] = "3 is not 4";
  const Outcome outcome =
      with_status(1, breakeven({"compare", path, write("b.json", wrong.dump()), "--markdown", file("m.md"),
                                "--junit", file("j.xml"), "--annotations", "-", "--out", file("v.json")}));
  EXPECT_THAT(text_of(file("m.md")), StartsWith("# FAIL: 1 of 1 case computes wrong results.\n"));
  EXPECT_THAT(text_of(file("j.xml")), HasSubstr("<failure type=\"wrong\""));
  EXPECT_THAT(outcome.out, HasSubstr("\n::error title=wrong::"));
  EXPECT_EQ(parse_file(file("v.json")).at("schema"), "breakeven.verdict/1");
  const Outcome piped = breakeven({"compare", path, path, "--out", "-"});
  EXPECT_EQ(parse(piped.out).at("exit_status"), 0);
  EXPECT_EQ(breakeven({"compare", path, path, "--quiet"}).out, "");
}

TEST_F(CompareCommand, ReadsGoogleBenchmark) {
  const auto benchmarks = [&](const std::string& name, double seconds, const char* executable = "./bench") {
    const Json row{{"name", "BM_x"},   {"run_name", "BM_x"},   {"run_type", "iteration"},
                   {"iterations", 10}, {"real_time", seconds}, {"cpu_time", seconds},
                   {"time_unit", "s"}};
    return write(
        name, Json{{"context", {{"executable", executable}, {"num_cpus", 2}}}, {"benchmarks", {row}}}.dump());
  };
  const Outcome outcome = breakeven({"compare", benchmarks("a.json", 1), benchmarks("b.json", 1.2)});
  EXPECT_EQ(outcome.status, 3) << "one process on each side";
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("BM_x"), HasSubstr("+20.0 % by medians alone"), HasSubstr("too few launches")));
  const Outcome renamed =
      breakeven({"compare", benchmarks("a.json", 1, "old/bench"), benchmarks("b.json", 1.2, "new/bench-2")});
  EXPECT_EQ(renamed.status, 3) << "the same benchmarks of a program of another name";
  EXPECT_THAT(renamed.out, HasSubstr("+20.0 % by medians alone"));
  EXPECT_THAT(renamed.out, HasSubstr("the base's program is called bench, the head's bench-2"));
}

// ---- invalid files

TEST_F(CompareCommand, RefusesWhatIsNoResult) {
  const std::string text = small().dump();
  expect_refused("", "is empty");
  for (std::size_t part = 1; part < 8; ++part)
    expect_refused(text.substr(0, text.size() * part / 8), "truncated");
  Json result = small();
  result["schema"] = "breakeven.result/2";
  expect_refused(result.dump(), "is of schema 'breakeven.result/2'");
  expect_refused("{}", "is JSON of an unknown kind; give");
  expect_refused(std::string(200'000, '['), "nested");
  result = small();
  result["cases"][0]["seconds"]["median"] = "1.0";
  expect_refused(result.dump(), "/cases/0/seconds/median");
  result = small();
  result["cases"].push_back(result["cases"][0]);
  expect_refused(result.dump(), "/cases/1 repeats");
  std::string twice = text;
  twice.insert(1, R"("complete": true, )");
  expect_refused(twice, "is there twice");
  std::string nan = text;
  nan.replace(nan.find("1.0"), 3, "NaN");
  expect_refused(nan, "not valid JSON");
}

TEST_F(CompareCommand, RefusesWhatItCannotRead) {
  const auto good = write("good.json", small().dump());
  EXPECT_EQ(breakeven({"compare", good}).status, 2);
  EXPECT_EQ(breakeven({"compare", good, file("nosuch.json")}).status, 2);
  EXPECT_EQ(breakeven({"compare", good, folder_.path()}).status, 2);
  EXPECT_THAT(with_status(2, breakeven({"compare", "-", "-"})).err,
              HasSubstr("there is only one standard input"));
}

TEST_F(CompareCommand, RefusesOptionsThatMeanNothing) {
  const auto good = write("good.json", small().dump());
  for (const char* threshold : {"0", "-3%", "nan", "x", "3 %%", "200%"})
    EXPECT_EQ(breakeven({"compare", good, good, "--threshold", threshold}).status, 2) << threshold;
  EXPECT_THAT(with_status(2, breakeven({"compare", good, good, "--allow", "everything"})).err,
              HasSubstr("machine"));
  EXPECT_THAT(with_status(2, breakeven({"compare", good, good, "--out", "x", "--junit", "x"})).err,
              HasSubstr("--junit and --out would both write to x; give each a file of its own"));
  EXPECT_EQ(breakeven({"compare", good, good, "--out", file("good.json") / "x"}).status, 2);
}

TEST_F(CompareCommand, TextFromElsewhereDoesNotReachTheTerminal) {
  Json result = small();
  result["cases"][0]["id"] = "\x1b]0;owned\x07<img src=x>\n::error::x";
  result["cases"][0]["op"] = "\x1b[2J";
  Json other = result;
  other["cases"][0]["seconds"]["samples"] = {1.0, 1.0};
  other["cases"][0]["seconds"]["launches"] = {2};
  EXPECT_THAT(with_status(3, breakeven({"compare", write("a.json", result.dump()),
                                        write("b.json", other.dump()), "--annotations", "-"}))
                  .out,
              AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n::error::x"))));
}

/// A million cases are a large file but no crash, and the report stays short enough to read.
TEST_F(CompareCommand, SlowAMillionCases) {
  const Json pattern = small();
  std::string text = pattern.dump();
  const std::string one = pattern["cases"][0].dump();
  const std::size_t at = text.find(one);
  std::string cases;
  for (int i = 0; i < 1'000'000; ++i) {
    std::string made = one;
    made.replace(made.find("\"x\""), 3, fmt::format("\"{}\"", i));
    cases += (i == 0 ? "" : ",") + made;
  }
  text.replace(at, one.size(), cases);
  const auto path = write("million.json", text);
  const auto small_file = write("small.json", pattern.dump());
  const Outcome outcome = breakeven({"compare", path, small_file, "--markdown", file("m.md")});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("NOT COMPARABLE: 1,000,000 of 1,000,001 cases are missing"));
  EXPECT_LT(outcome.out.size(), 100'000U);
  EXPECT_LT(std::filesystem::file_size(file("m.md")), std::uintmax_t{1} << 20U);
}

}  // namespace
}  // namespace breakeven::cli_tests
