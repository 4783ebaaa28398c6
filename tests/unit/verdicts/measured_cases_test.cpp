#include "verdicts/measured_cases.h"

#include <gmock/gmock.h>

#include "unit/reports_sample.h"

namespace breakeven {
namespace {

using testing::ElementsAre;

Result of_machine(const std::string& host, const std::string& config = "{}") {
  Result run = sample::result({sample::product("a", 64, 1), sample::product("b", 64, 2)});
  run.host.name = host;
  run.config = config;
  return run;
}

TEST(MeasuredCases, AreInTheOrderOfTheFilesWithTheirMachinesAndCaches) {
  const std::vector<Result> results{of_machine("one"), of_machine("two"),
                                    of_machine("one", R"({"measure": {"cache": "cold"}})")};
  const std::vector<MeasuredCase> cases = cases_of(runs_of(results));
  std::vector<std::size_t> machines;
  std::vector<std::string> caches;
  for (const MeasuredCase& one : cases) {
    machines.push_back(one.machine);
    caches.push_back(one.caches);
  }
  EXPECT_THAT(machines, ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(caches, ElementsAre("warm", "warm", "warm", "warm", "cold", "cold"));
  EXPECT_EQ(cases[3].run, &results[1]);
  EXPECT_EQ(cases[3].result, &results[1].cases[1]);
}

TEST(MeasuredCases, AreGroupedInTheOrderOfTheirKeysFirstAppearance) {
  const std::vector<Result> results{of_machine("one"), of_machine("two")};
  const std::vector<MeasuredCase> cases = cases_of(runs_of(results));
  const auto groups = groups_of(cases, [&](const MeasuredCase& one) {
    return one.run == &results[0] && one.result->backend == "a" ? "" : one.result->backend;
  });
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0], ElementsAre(&cases[1], &cases[3]));
  EXPECT_THAT(groups[1], ElementsAre(&cases[2]));
}

}  // namespace
}  // namespace breakeven
