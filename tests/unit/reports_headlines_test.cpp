#include <gmock/gmock.h>

#include "reports/headlines.h"
#include "reports_sample.h"
#include "thresholds_sample.h"

namespace breakeven {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Products on a CPU that takes m * 1 us and on another device that takes `fixed` and a tenth of that.
std::vector<CaseResult> with_offset(double fixed) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256, 512}) {
    const double seconds = 1e-6 * static_cast<double>(m);
    cases.push_back(sample::product("onednn", m, seconds));
    cases.push_back(sample::product("blis", m, 2 * seconds));
    CaseResult other = sample::product("cuda", m, fixed + seconds / 10);
    other.device = "gpu";
    cases.push_back(other);
  }
  return cases;
}

TEST(Headlines, SayFromWhereOnAnotherDeviceIsFaster) {
  const auto said = [](double fixed) {
    const std::vector<Result> results{sample::result(with_offset(fixed))};
    return headlines(results);
  };
  EXPECT_THAT(
      said(2e-4),
      ElementsAre(
          "matmul in f32 on this machine: cuda is faster than the fastest CPU backend from m = 256 on, up to "
          "2.04x at m = 512"));
  EXPECT_THAT(said(0), ElementsAre(HasSubstr("at all values of m measured, from 64, up to 10.0x")));
  EXPECT_THAT(said(1),
              ElementsAre(HasSubstr("cuda is faster than onednn at none of 4 values of m, 64 to 512")));
}

TEST(Headlines, ATieIsNotAhead) {
  // 115.2 us and 230.4 us: at 128 and 256 as fast as the CPU, within the intervals of 1 %.
  const std::vector<Result> results{sample::result(with_offset(0.9 * 128e-6))};
  EXPECT_THAT(headlines(results), ElementsAre(HasSubstr("from m = 256 on")));
}

TEST(Headlines, WithoutOtherDevicesSayWhichBackendIsFastest) {
  const std::vector<Result> results{
      sample::result({sample::product("onednn", 64, 1e-6), sample::product("blis", 64, 3e-6),
                      sample::product("onednn", 128, 2e-6), sample::product("blis", 128, 1e-6)})};
  EXPECT_THAT(headlines(results),
              ElementsAre("matmul: the fastest, or as fast, of 2 problems: blis in 1, onednn in 1; times the "
                          "fastest's time, as geometric means: onednn 1.41, blis 1.73; furthest behind: blis "
                          "in 64 x 64 x 64 f32, "
                          "3.0x slower"));
}

TEST(Headlines, OfThresholdsComeFirst) {
  const std::vector<Result> results{
      sample::result({sample::product("a", 64, 1), sample::product("b", 64, 2)})};
  const std::vector<Threshold> thresholds{sample::threshold()};
  EXPECT_THAT(headlines(results, thresholds),
              ElementsAre("matmul, m = n = k, f32 on this machine: b is faster than a from m = 384 (377 to "
                          "392) up to 1,024, the "
                          "largest measured. Below that a is faster.",
                          HasSubstr("of 1 problem: a in 1")));
}

TEST(Headlines, SayWhatItTakesToStartWork) {
  const auto launch = [](const std::string& backend, bool waits, double seconds) {
    CaseResult c = sample::product(backend, 1, seconds);
    c.op = "launch";
    c.id = waits ? "launch/f32" : "launch/waits=false/f32";
    c.parameters = {{"waits", waits}, {"dtype", std::string("f32")}};
    c.flop = c.bytes = 0;
    return c;
  };
  const std::vector<Result> results{sample::result(
      {launch("native", true, 2e-6), launch("pytorch", true, 3e-6), launch("cuda", false, 1e-6)})};
  EXPECT_THAT(headlines(results),
              Contains("this machine: starting work that does nothing, and waiting for it, takes "
                       "2.00 µs (native)"));
}

TEST(Headlines, SayWhatOtherTypesAndBatchesBring) {
  CaseResult half = sample::product("onednn", 64, 2.5e-7);
  half.dtype = "bf16";
  half.id = "matmul/m=64/bf16";
  half.parameters.set("dtype", std::string("bf16"));
  std::vector<CaseResult> cases{sample::product("onednn", 64, 1e-6), sample::product("blis", 64, 3e-6), half};
  for (const std::int64_t batch : {1, 8, 64}) {
    CaseResult c = sample::product("onednn", 1, batch == 1 ? 1e-4 : 1e-5 * static_cast<double>(batch));
    c.op = "infer";
    c.id = "infer/" + std::to_string(batch);
    c.parameters = {{"network", std::string("mlp")}, {"batch", batch}, {"dtype", std::string("f32")}};
    c.samples = batch;
    cases.push_back(c);
  }
  const std::vector<Result> results{sample::result(cases)};
  EXPECT_THAT(headlines(results),
              AllOf(Contains("matmul on this machine: bf16 is 4.00x as fast as f32"),
                    Contains("infer, network mlp in f32 on this machine: 10000 images a second "
                             "at batch 1 (onednn), 10.0x as many at "
                             "64 (onednn)")));
}

TEST(Headlines, AnswersHaveTheWarningsOfTheRuns) {
  Result run = sample::result({sample::product("a", 64, 1), sample::product("b", 64, 2)});
  run.warnings = {"b: its kernels are for another processor"};
  const std::vector<Result> results{run, run};
  const std::string text = answers_text(results, {});
  EXPECT_THAT(text, HasSubstr("of 1 problem: a in 1"));
  EXPECT_THAT(text, testing::EndsWith("\nwarning: b: its kernels are for another processor\n"));
  EXPECT_EQ(text.find("warning"), text.rfind("warning")) << "once";
}

TEST(Headlines, SayWhatWentWrong) {
  const std::vector<Result> results{
      sample::result({sample::product("onednn", 64, 1e-6),
                      sample::refused(sample::product("blis", 64, 1), Status::wrong, "x")})};
  EXPECT_THAT(headlines(results), ElementsAre("of 2 results: 1 wrong"));
  EXPECT_THAT(headlines({}), IsEmpty());
  const std::vector<Result> hostile{sample::hostile()};
  EXPECT_THAT(headlines(hostile), Not(IsEmpty()));
}

}  // namespace
}  // namespace breakeven
