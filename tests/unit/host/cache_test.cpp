// Tests finding the relevant caches, on a machine whose description is planted.
#include "host/cache.h"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

/// A machine of two CPUs with their own caches up to the second level, and a shared third level.
class DescribedCaches : public testing::Test {
 protected:
  DescribedCaches() {
    for (const int cpu : {0, 1}) {
      const std::string own = std::to_string(cpu);
      describe(cpu, 0, {"1", "Data", "48K", own});
      describe(cpu, 1, {"1", "Instruction", "32K", own});
      describe(cpu, 2, {"2", "Unified", "2048K", own});
      describe(cpu, 3, {"3", "Unified", "32768K", "0-1"});
    }
  }
  struct Cache {
    std::string level, type, size, shared_by;
  };
  void describe(int cpu, int index, const Cache& cache) {
    const std::string files = "cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    folder_.write(files + "level", cache.level + "\n");
    folder_.write(files + "type", cache.type + "\n");
    folder_.write(files + "size", cache.size + "\n");
    folder_.write(files + "shared_cpu_list", cache.shared_by + "\n");
  }
  std::size_t bytes(const std::vector<int>& cpus) const {
    const auto sizes = described_caches(cpus, folder_.path());
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  }
  static constexpr std::size_t mebibyte = std::size_t{1} << 20U;

  TemporaryFolder folder_;
};

TEST_F(DescribedCaches, CountFromTheSecondLevelOnEachOnce) {
  EXPECT_EQ(bytes({0}), 34 * mebibyte);
  EXPECT_EQ(bytes({0, 1}), 36 * mebibyte);
}

TEST_F(DescribedCaches, ThatAreDifferentOnesOfOneLevelBothCount) {
  describe(1, 3, {"3", "Unified", "16384K", "1"});
  EXPECT_EQ(bytes({0, 1}), 52 * mebibyte);
}

TEST_F(DescribedCaches, OfInstructionsDoNotCount) {
  describe(0, 4, {"2", "Instruction", "1024K", "0"});
  EXPECT_EQ(bytes({0}), 34 * mebibyte);
}

TEST_F(DescribedCaches, AreNoneWhereNothingIsSaid) {
  EXPECT_EQ(bytes({}), 0U);
  EXPECT_EQ(bytes({7}), 0U);
}

}  // namespace
}  // namespace breakeven
