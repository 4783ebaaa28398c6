#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "reports/document/descriptions.h"
#include "reports_sample.h"

namespace breakeven {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

std::vector<std::string> standings(const Problem& problem) {
  std::vector<std::string> texts;
  for (const Entry& entry : problem.entries) {
    texts.push_back(entry.result->backend + ": " + describe_standing(entry));
  }
  return texts;
}

std::vector<std::string> standings_of(std::vector<CaseResult> cases) {
  const Result result = sample::result(std::move(cases));
  const auto groups = compare({&result, 1});
  return standings(groups.at(0).problems.at(0));
}

TEST(ReportComparison, RanksByTimeWithTiesWhereIntervalsOverlap) {
  EXPECT_THAT(standings_of({sample::product("slow", 64, 1.8), sample::product("close", 64, 1.015),
                            sample::product("first", 64, 1.0)}),
              ElementsAre("first: fastest", "close: as fast", "slow: 1.8x slower"));
}

TEST(ReportComparison, IntervalsThatDoNotOverlapAreADifferenceHoweverSmall) {
  EXPECT_THAT(standings_of({sample::product("a", 64, 1.0, 0.001), sample::product("b", 64, 1.015, 0.001)}),
              ElementsAre("a: fastest", "b: 1.5% slower"));
}

TEST(ReportComparison, WithoutIntervalsADifferenceIsMarkedUncertain) {
  EXPECT_THAT(standings_of({sample::product("a", 64, 1.0), sample::product("b", 64, 1.5, std::nullopt)}),
              ElementsAre("a: fastest", "b: ~1.5x slower"));
}

TEST(ReportComparison, OnlyOneIsNotCalledFastest) {
  EXPECT_THAT(standings_of({sample::refused(sample::product("b", 64, 1), Status::unsupported, "no"),
                            sample::product("a", 64, 1.0)}),
              ElementsAre("a: only one", "b: "));
}

TEST(ReportComparison, NoSpeedForWhatIsWrongOrHasNoTime) {
  CaseResult wrong = sample::product("wrong", 64, 0.1);
  wrong.status = Status::wrong;
  EXPECT_THAT(standings_of({wrong, sample::product("nan", 64, std::numeric_limits<double>::quiet_NaN()),
                            sample::product("zero", 64, 0), sample::product("a", 64, 1.0),
                            sample::product("b", 64, 2.0)}),
              ElementsAre("a: fastest", "b: 2.0x slower", "wrong: ", "nan: ", "zero: "));
}

TEST(ReportComparison, GroupsByOperationInOrderOfAppearance) {
  const Result result = sample::result({sample::product("a", 128, 1), sample::training("a"),
                                        sample::product("a", 64, 1), sample::product("b", 128, 2)});
  const auto groups = compare({&result, 1});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].problems, ElementsAre(Field(&Problem::title, "128 x 128 x 128 f32"),
                                              Field(&Problem::title, "64 x 64 x 64 f32")));
  EXPECT_EQ(groups[0].problems[0].entries.size(), 2U);
  EXPECT_EQ(groups[1].op, "train_future");
}

TEST(ReportComparison, TheSameProblemOnTwoMachinesIsOneProblem) {
  const std::vector<Result> results{sample::result({sample::product("a", 64, 1)}),
                                    sample::result({sample::product("a", 64, 2)})};
  const auto groups = compare(results);
  ASSERT_EQ(groups.at(0).problems.size(), 1U);
  const auto& entries = groups[0].problems[0].entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].run, &results[1]);
  EXPECT_EQ(describe_standing(entries[1]), "2.0x slower");
}

TEST(ReportComparison, TitlesAreWhatPeopleCallAProblem) {
  CaseResult r = sample::product("a", 64, 1);
  r.parameters.set("batch", std::int64_t{8});
  r.parameters.set("transpose_a", true);
  EXPECT_EQ(problem_title(r), "64 x 64 x 64 f32, batch 8, A^T");
  r.label = "QKV\n";
  EXPECT_EQ(problem_title(r), "QKV : 64 x 64 x 64 f32, batch 8, A^T");
  EXPECT_EQ(problem_title(sample::training("a")), "network=mlp batch=128 target_accuracy=0.9 f32");
}

TEST(ReportComparison, ConvolutionTitleSaysWhatIsUnusual) {
  CaseResult r;
  r.op = "conv2d";
  r.dtype = "f32";
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::int64_t>>{{"n", 8},
                                                                                     {"c", 64},
                                                                                     {"h", 56},
                                                                                     {"w", 56},
                                                                                     {"k", 64},
                                                                                     {"r", 3},
                                                                                     {"s", 3},
                                                                                     {"stride", 1},
                                                                                     {"stride_w", -1},
                                                                                     {"pad", 1},
                                                                                     {"pad_w", -1},
                                                                                     {"dilation", 1},
                                                                                     {"groups", 1}}) {
    r.parameters.set(name, value);
  }
  r.parameters.set("pass", std::string("forward"));
  r.parameters.set("dtype", std::string("f32"));
  EXPECT_EQ(problem_title(r), "8x64x56x56, 64 3x3, stride 1, pad 1, forward f32");
  r.parameters.set("stride_w", std::int64_t{2});
  r.parameters.set("groups", std::int64_t{4});
  r.parameters.set("dilation", std::int64_t{2});
  r.parameters.set("pass", std::string("backward_data"));
  EXPECT_EQ(problem_title(r),
            "8x64x56x56, 64 3x3, stride 1x2, pad 1, dilation 2, groups 4, backward data f32");
}

TEST(ReportComparison, AFileWithOtherParametersStillHasTitles) {
  CaseResult r = sample::product("a", 64, 1);
  r.parameters = {};
  r.parameters.set("m", std::int64_t{64});
  EXPECT_EQ(problem_title(r), "m=64 f32");
}

TEST(ReportComparison, ExplainsWhatHasNoReason) {
  CaseResult r = sample::product("a", 64, 1);
  r.status = Status::wrong;
  EXPECT_EQ(explain(r), "no reason was given");
  r.verification = Verification{};
  r.verification->error = 0.5;
  r.verification->tolerance = 0.001;
  EXPECT_EQ(explain(r), "error 0.500 is above the tolerance 0.00100");
  r.verification->error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(explain(r), HasSubstr("error unknown"));
  r.reason = "value 7 is NaN";
  EXPECT_EQ(explain(r), "value 7 is NaN");
}

TEST(ReportComparison, RepeatedWarningsAreOneFinding) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    for (const char* backend : {"a", "b"}) {
      cases.push_back(sample::product(backend, m, 1));
      cases.back().warnings.push_back("other processes used " + std::to_string(m) + ".5 % of CPU time");
    }
  }
  cases.front().warnings.push_back("throttled");
  Result result = sample::result(std::move(cases));
  result.warnings.push_back("built without optimisation");
  const auto findings = find_warnings({&result, 1});
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(describe_extent(findings[0]), "");
  EXPECT_EQ(findings[1].text, "other processes used 64.5 % of CPU time");
  EXPECT_EQ(describe_extent(findings[1]), "(6 cases, with other figures: a, b)");
  EXPECT_EQ(describe_extent(findings[2]), "(a, matmul 64 x 64 x 64 f32)");
}

TEST(ReportComparison, DifferentStatusesAreDifferentFindings) {
  const CaseResult some = sample::product("a", 64, 1);
  const Result result = sample::result({some, sample::refused(some, Status::failed, "out of luck"),
                                        sample::refused(some, Status::unsupported, "out of luck")});
  const auto findings = find_failures({&result, 1});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].text, "failed: out of luck");
  const auto counts = count_statuses({&result, 1});
  EXPECT_EQ(counts.at(Status::ok), 1U);
  EXPECT_EQ(counts.at(Status::failed), 1U);
}

TEST(ReportComparison, DigitsInNamesTellFindingsApart) {
  const CaseResult some = sample::product("a", 64, 1);
  const Result result = sample::result({sample::refused(some, Status::unsupported, "no conv2d in f16"),
                                        sample::refused(some, Status::unsupported, "no conv2d in f64")});
  EXPECT_EQ(find_failures({&result, 1}).size(), 2U);
}

TEST(ReportComparison, ConfigsWithoutATitleHaveNone) {
  Result result = sample::result({});
  EXPECT_EQ(config_title(result), "Which is faster?");
  for (const char* config : {"", "{", "[]", "{}", R"({"title": 3})"}) {
    result.config = config;
    EXPECT_EQ(config_title(result), "") << config;
  }
}

}  // namespace
}  // namespace breakeven
