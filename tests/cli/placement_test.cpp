// Tests that each thread of a real CPU backend is pinned to its own core.
#include <set>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr bool with_openmp =
#ifdef BREAKEVEN_OPENMP
    true;
#else
    false;
#endif

class PlacementTest : public DriverTest {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable("native"); !reason.empty()) GTEST_SKIP() << reason;
  }
  /// Measures a triad that is long enough for all threads.
  Json measure(const Json& settings) {
    return result_of_run(config({{{"op", "triad"}, {"bytes", 12 << 20}}}, {"native"}, settings));
  }
  static std::vector<int> cpus(const Json& result) {
    return result.at("cases")[0].at("conditions").at("cpus").get<std::vector<int>>();
  }
};

TEST_F(PlacementTest, EachThreadHasACore) {
  const Json result = measure(Json::object());
  // Without OpenMP, our own backends have one thread.
  const int threads = with_openmp ? result.at("host").at("threads").get<int>() : 1;
  if (result.at("host").at("cores") == 1) GTEST_SKIP() << "one core: nothing to place";
  const auto held = cpus(result);
  EXPECT_THAT(held, SizeIs(threads));
  EXPECT_EQ(std::set(held.begin(), held.end()).size(), held.size());
}

TEST_F(PlacementTest, TheKernelDecidesWhereItIsAskedTo) {
  EXPECT_THAT(cpus(measure({{"placement", "free"}})), IsEmpty());
}

TEST_F(PlacementTest, TheKernelDecidesWhereCachesAreFlushedOnAllCpus) {
  EXPECT_THAT(cpus(measure({{"cache", "cold"}, {"max_seconds", 0.2}})), IsEmpty());
}

}  // namespace
}  // namespace breakeven::cli_tests
