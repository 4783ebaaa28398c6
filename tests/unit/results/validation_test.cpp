// Tests that every recorded result is read, whichever version wrote it, and the edges of what is refused.
// tests/cli/contradictions_test.cpp has what is refused by every command.
#include "results/validation.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "results/file_kind.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

TEST(Validation, AcceptsEveryRecordedResult) {
  std::size_t results = 0;
  for (const char* folder : {"results", "tests/golden", "tests/fuzz/corpus"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(BREAKEVEN_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".json") continue;
      const std::string text = read_file(entry.path());
      if (text.find("\"breakeven.result/1\"") == std::string::npos) continue;
      ++results;
      EXPECT_NO_THROW(read_result(entry.path())) << entry.path();
    }
  }
  EXPECT_GE(results, 50U);
}

/// The fault of a product's timing.
std::string fault_of_timing(Timing timing) {
  CaseResult c = sample::measured_case("matmul", {{"m", 64}, {"n", 64}, {"k", 64}}, 1e-3);
  timing.iterations = 1;
  constexpr std::size_t fewest = 6;  // samples with an interval
  if (timing.samples.size() >= fewest && !timing.ci_low) timing.ci_low = timing.ci_high = timing.median;
  if (timing.launches.empty()) timing.launches = {std::ssize(timing.samples)};
  c.seconds = std::move(timing);
  c.verification = Verification{.error = 0, .tolerance = 0, .correct = true, .detail = {}, .elements = 1};
  return fault_of(c);
}

TEST(Validation, TakesTheMedianOfTheSamplesThatCount) {
  std::vector<double> samples(20, 1e-3);
  std::fill_n(samples.begin(), 10, 9e-3);
  const std::vector<std::int64_t> first_half{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(fault_of_timing({.median = 1e-3, .samples = samples, .throttled = first_half}), IsEmpty());
  EXPECT_THAT(fault_of_timing({.median = 5e-3, .samples = samples, .throttled = first_half}),
              HasSubstr("a median of 0.005 s, and samples whose median is 0.001 s"));
  std::vector<double> own_speed(20, 1);
  std::fill_n(own_speed.begin(), 10, 0.5);
  EXPECT_THAT(fault_of_timing({.median = 1e-3, .samples = samples, .own_speed = own_speed}), IsEmpty());
  EXPECT_THAT(fault_of_timing({.median = 5e-3, .ci_low = 1e-3, .ci_high = 9e-3, .samples = samples}),
              IsEmpty());
}

/// Another program may have rounded what it copied.
TEST(Validation, AllowsForRounding) {
  EXPECT_THAT(fault_of_timing({.median = 0.333333333, .samples = {1.0 / 3}}), IsEmpty());
  EXPECT_THAT(fault_of_timing({.median = 0.3333, .samples = {1.0 / 3}}), HasSubstr("a median of"));
}

TEST(Validation, AllowsTimesThatAClockCanGive) {
  for (const double seconds : {1e-10, 1e-9, 1.0, 1e7})
    EXPECT_THAT(fault_of_timing({.median = seconds, .samples = {seconds}}), IsEmpty()) << seconds;
  for (const double seconds : {5e-324, 9e-11, 1.1e7, 1e308})
    EXPECT_THAT(fault_of_timing({.median = seconds, .samples = {seconds}}), HasSubstr("a sample of"))
        << seconds;
}

/// A newer program has parameters, operations and values that this one does not know.
TEST(Validation, AllowsWhatANewerProgramMayWrite) {
  CaseResult c = sample::measured_case("matmul", {{"m", 64}, {"n", 64}, {"k", 64}}, 1e-3);
  c.status = Status::failed;
  c.seconds->launches = {3};
  c.parameters.set("sparsity", std::int64_t{4});
  c.id = "matmul/m=64/n=64/k=64/sparsity=4/f32";
  EXPECT_THAT(fault_of(c), IsEmpty());
  c.op = "matmul_of_the_future";
  c.id = "anything";
  EXPECT_THAT(fault_of(c), IsEmpty());
}

TEST(Validation, AllowsDatesOfAClockThatIsWrong) {
  for (const char* created :
       {"2026-11-28T16:43:00Z", "1970-01-01T00:00:00Z", "2100-02-28T23:59:59Z", "2024-02-29T00:00:00Z"})
    EXPECT_THAT(fault_of_date(created), IsEmpty()) << created;
  for (const char* created :
       {"", "2026-11-28", "2026-11-28 16:43:00", "2026-11-28T16:43:00", "2023-02-29T00:00:00Z",
        "2026-11-28T24:00:00Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
        "-026-01-01T00:00:00Z", " 026-01-01T00:00:00Z"})
    EXPECT_THAT(fault_of_date(created), HasSubstr(created)) << created;
}

}  // namespace
}  // namespace breakeven
