// Tests that reports do not compare machines whose caches were warm with others whose were cold.
#include <gmock/gmock.h>

#include <array>

#include "reports/document/builders.h"
#include "unit/document_texts.h"
#include "unit/reports_sample.h"

namespace breakeven::caches_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::int64_t, 6> sizes{64, 128, 256, 512, 1024, 2048};

/// Products that `asks` may be about, on a machine that takes `seconds` for each.
Result products_on(const std::string& machine, double seconds, const std::string& cache,
                   const std::string& asks = "") {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : sizes) {
    cases.push_back(sample::product("onednn", m, seconds));
    cases.back().id =
        make_case(*find_workload("matmul"), {{"m", m}, {"n", m}, {"k", m}, {"dtype", std::string("f32")}})
            .id();
  }
  Result run = sample::on_machine(machine, sample::result(std::move(cases)));
  run.config = R"({"title": "Which is best?", "measure": {"cache": ")" + cache + "\"}, " + asks +
               R"("workloads": [{"op": "matmul", "m": [64, 128, 256, 512, 1024, 2048], "n": "m", "k": "m",
                                 "dtype": "f32"}]})";
  return run;
}

std::vector<std::string> all_answers(std::vector<Result> results) {
  const Document made = document_of(Measured{.results = std::move(results)});
  std::vector<std::string> all;
  for (const Card& card : made.cards) {
    for (const std::string& text : texts(card.answer)) all.push_back(text);
  }
  return all;
}

TEST(Caches, WarmAndColdOnesNameNoFastestMachine) {
  EXPECT_THAT(all_answers({products_on("x", 1, "warm"), products_on("y", 2, "warm")}),
              Contains(HasSubstr("x is the fastest of 2 machines")));
  EXPECT_THAT(all_answers({products_on("x", 1, "warm"), products_on("y", 2, "cold")}),
              Not(Contains(HasSubstr("is the fastest of"))));
  EXPECT_THAT(all_answers({products_on("x", 1, "cold"), products_on("y", 2, "cold")}),
              Contains(HasSubstr("x is the fastest of 2 machines")));
}

TEST(Caches, WarmAndColdOnesRankNoMachines) {
  const std::string asks = R"("asks": "machines", )";
  EXPECT_THAT(all_answers({products_on("x", 1, "cold", asks), products_on("y", 2, "cold", asks)}),
              Contains("CPU of x, 2 cores takes the least time."));
  const std::vector<std::string> mixed =
      all_answers({products_on("x", 1, "warm", asks), products_on("y", 2, "cold", asks)});
  EXPECT_THAT(mixed, Contains("Not ranked: the files were not measured alike: one of x with warm caches, one "
                              "of y with cold ones; rank either kind alone."));
  EXPECT_THAT(mixed, Not(Contains(HasSubstr("takes the least time"))));
  EXPECT_THAT(mixed, Not(Contains(HasSubstr("is the fastest of"))));
}

}  // namespace
}  // namespace breakeven::caches_test
