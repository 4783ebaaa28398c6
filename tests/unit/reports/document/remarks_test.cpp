#include "reports/document/remarks.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven::remarks_test {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

std::vector<Remark> failures(const std::vector<Result>& results) {
  return find_failures(runs_of(results));
}

TEST(Remarks, ThatDifferInNumbersAreOne) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256}) {
    for (const char* backend : {"a", "b"}) {
      cases.push_back(sample::product(backend, m, 1));
      cases.back().warnings = {"other processes used " + std::to_string(m) + ".5 % of CPU time"};
    }
  }
  cases.front().warnings.emplace_back("throttled");
  std::vector<Result> results{sample::result(std::move(cases))};
  results[0].warnings = {"built without optimisation"};
  const auto warnings = find_warnings(runs_of(results));
  ASSERT_THAT(warnings, SizeIs(3));
  EXPECT_EQ(describe_extent(warnings[0]), "");
  EXPECT_EQ(warnings[1].text, "other processes used 64.5 % of CPU time");
  EXPECT_EQ(describe_extent(warnings[1]), "(6 cases, with other figures: a, b)");
  EXPECT_EQ(describe_extent(warnings[2]), "(a, matmul 64 x 64 x 64 f32)");
}

TEST(Remarks, OnFailuresAreByStatusAndReason) {
  const CaseResult some = sample::product("a", 64, 1);
  const std::vector<Result> results{
      sample::result({some, sample::refused(some, Status::failed, "out of luck"),
                      sample::refused(some, Status::unsupported, "out of luck"),
                      sample::refused(some, Status::unsupported, "no conv2d in f16"),
                      sample::refused(some, Status::unsupported, "no conv2d in f64")})};
  EXPECT_THAT(failures(results), ElementsAre(Field(&Remark::text, "failed: out of luck"),
                                             Field(&Remark::text, "unsupported: out of luck"),
                                             Field(&Remark::text, "unsupported: no conv2d in f16"),
                                             Field(&Remark::text, "unsupported: no conv2d in f64")))
      << "digits in names tell texts apart";
  const auto counts = count_statuses(runs_of(results));
  EXPECT_EQ(counts.at(Status::ok), 1U);
  EXPECT_EQ(counts.at(Status::unsupported), 3U);
}

}  // namespace
}  // namespace breakeven::remarks_test
