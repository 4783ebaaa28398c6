// Tests properties that the CPUs of any machine have; those of this machine are not known in advance.
#include "host/cpu.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace breakeven {
namespace {

/// Restores the affinity on destruction.
class Affinity {
 public:
  Affinity() { sched_getaffinity(0, sizeof before_, &before_); }
  ~Affinity() { sched_setaffinity(0, sizeof before_, &before_); }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;
  Affinity(Affinity&&) = delete;
  Affinity& operator=(Affinity&&) = delete;
  static void only(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
  }

 private:
  cpu_set_t before_{};
};

TEST(Cpus, AreThoseOfTheAffinityMask) {
  const Affinity restored;
  const auto all = allowed_cpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  Affinity::only(all.back());
  EXPECT_THAT(allowed_cpus(), testing::ElementsAre(all.back()));
  EXPECT_EQ(compute_threads(), 1) << "one CPU, one thread";
}

TEST(Cores, AreOneCpuEach) {
  const auto all = allowed_cpus();
  const auto cores = cpu_of_each_core(all);
  ASSERT_FALSE(cores.empty());
  EXPECT_THAT(all, testing::IsSupersetOf(cores));
  EXPECT_EQ(std::set(cores.begin(), cores.end()).size(), cores.size());
  EXPECT_THAT(cpu_of_each_core({all.front()}), testing::ElementsAre(all.front()));
  EXPECT_THAT(cpu_of_each_core({all.front(), all.front()}), testing::ElementsAre(all.front()))
      << "a core is counted once";
}

TEST(Cores, ThatTheKernelDoesNotDescribeAreOfOneCpuEachTheHighestFirst) {
  EXPECT_THAT(cpu_of_each_core({1'000'000, 1'000'001}), testing::ElementsAre(1'000'001, 1'000'000));
}

TEST(ComputeThreads, KeepToCoresAndQuota) {
  EXPECT_GE(compute_threads(), 1);
  EXPECT_LE(compute_threads(), std::ssize(cpu_of_each_core(allowed_cpus())));
  if (const auto quota = cpu_quota()) {
    EXPECT_GT(*quota, 0);
    EXPECT_LE(compute_threads(), std::max(1.0, *quota));
  }
}

TEST(Memory, IsSomeAndNotMoreThanIsAddressable) {
  EXPECT_GT(available_memory(), std::int64_t{1} << 20U);
}

TEST(CpuModel, HasAName) {
  EXPECT_FALSE(cpu_model().empty());
}

std::string identity_in(const std::string& text) {
  std::istringstream in(text);
  return cpu_identity(in);
}

TEST(CpuIdentity, IsTheFirstProcessorsOwnNumbers) {
  EXPECT_EQ(identity_in("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
                        "model name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\n\n"
                        "processor\t: 1\nvendor_id\t: GenuineIntel\n"),
            "AuthenticAMD family 25 model 17 stepping 1");
  EXPECT_EQ(identity_in("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                        "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n"),
            "implementer 0x41 part 0xd0c variant 0x3 revision 1");
  EXPECT_EQ(identity_in(""), "");
  EXPECT_EQ(identity_in("model\t:\nno colon\n:\n"), "");
  EXPECT_FALSE(cpu_identity().empty());
}

}  // namespace
}  // namespace breakeven
