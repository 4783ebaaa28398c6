// Tests properties that the CPUs of any machine have; those of this machine are not known in advance.
#include "host/cpu.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>

#include "host/threads.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::DoubleEq;
using testing::Optional;

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

TEST(Cpus, MayBeMoreThanTheUsualMaskHolds) {
  const auto with_4096_possible_cpus = [](pid_t /*tid*/, std::size_t bytes, cpu_set_t* mask) {
    errno = EINVAL;
    if (bytes * 8 < 4096) return -1;
    CPU_SET_S(3, bytes, mask);
    CPU_SET_S(3000, bytes, mask);
    return 0;
  };
  EXPECT_THAT(cpus_of_thread(0, with_4096_possible_cpus), testing::ElementsAre(3, 3000));
  const auto refusing = [](pid_t /*tid*/, std::size_t /*bytes*/, cpu_set_t* /*mask*/) {
    errno = EINVAL;
    return -1;
  };
  EXPECT_THAT(cpus_of_thread(0, refusing), testing::IsEmpty());
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

/// tests/cli/python_machine_test.py expects the same of Python's ranks.
TEST(Cores, AreThoseOfTheFastestAndThenOfTheLastPackageFirst) {
  const TemporaryFolder folder;
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string topology = fmt::format("cpu{}/topology/", cpu);
    const int core = cpu % 4;
    folder.write(topology + "thread_siblings_list", fmt::format("{},{}\n", core, core + 4));
    folder.write(topology + "physical_package_id", fmt::format("{}\n", core / 2));
  }
  const auto chosen = [&] { return cpu_of_each_core({0, 1, 2, 3, 4, 5, 6, 7}, folder.path()); };
  EXPECT_THAT(chosen(), testing::ElementsAre(3, 2, 1, 0));
  folder.write("cpu0/cpufreq/cpuinfo_max_freq", "5000000\n");
  EXPECT_THAT(chosen(), testing::ElementsAre(0, 3, 2, 1));
}

TEST(Cores, AreFastUnlessTheirClockIsAKindBelow) {
  const TemporaryFolder folder;
  const std::vector<int> cores{0, 1, 2, 3};
  EXPECT_EQ(fast_cores(cores, folder.path()), 4) << "unknown";
  const auto write = [&](int cpu, const char* clock) {
    folder.write(fmt::format("cpu{}/cpufreq/cpuinfo_max_freq", cpu), clock);
  };
  write(0, "5200000\n");
  write(1, "5000000\n");
  write(2, "3800000\n");
  write(3, "3800000\n");
  EXPECT_EQ(fast_cores(cores, folder.path()), 2);
  EXPECT_EQ(fast_cores({}, folder.path()), 0);
}

TEST(ComputeThreads, KeepToCoresAndQuota) {
  EXPECT_GE(compute_threads(), 1);
  EXPECT_LE(compute_threads(), std::ssize(cpu_of_each_core(allowed_cpus())));
  if (const auto quota = cpu_quota()) {
    EXPECT_GT(*quota, 0);
    EXPECT_LE(compute_threads(), std::max(1.0, *quota));
  }
}

/// The root's own counters are always 0 outside a container.
TEST(Throttling, IsThatOfAllGroupsAroundThisProcess) {
  const TemporaryFolder folder;
  const auto mount = folder.path() / "fs";
  folder.write("fs/cpu.stat", "usage_usec 7000\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  folder.write("fs/job.slice/cpu.stat", "usage_usec 7000\nnr_periods 9\nthrottled_usec 5000000\n");
  folder.write("fs/job.slice/step/cpu.stat", "usage_usec 7000\nthrottled_usec 2000000\n");
  EXPECT_THAT(throttled_seconds(mount, folder.write("own", "0::/job.slice/step\n")), Optional(DoubleEq(7)));
  EXPECT_THAT(throttled_seconds(mount, folder.write("root", "0::/\n")), Optional(0.0));
  EXPECT_EQ(throttled_seconds(folder.path() / "none", folder.path() / "own"), std::nullopt);
}

TEST(Throttling, InAContainerIsThatOfTheMountedRoot) {
  const TemporaryFolder folder;
  folder.write("fs/cpu.stat", "nr_periods 9\nthrottled_usec 3000000\n");
  EXPECT_THAT(throttled_seconds(folder.path() / "fs", folder.write("own", "0::/docker/1234\n")),
              Optional(DoubleEq(3)));
}

TEST(Throttling, IsInNanosecondsInTheFirstVersionOfCgroups) {
  const TemporaryFolder folder;
  folder.write("fs/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  folder.write("fs/cpu/job/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 2500000000\n");
  EXPECT_THAT(
      throttled_seconds(folder.path() / "fs", folder.write("own", "4:cpu,cpuacct:/job\n1:name=systemd:/\n")),
      Optional(DoubleEq(2.5)));
}

TEST(Memory, IsSomeAndNotMoreThanIsAddressable) {
  EXPECT_GT(available_memory(), std::int64_t{1} << 20U);
}

TEST(Memory, KillsAreThoseOfTheProcesssOwnGroup) {
  const TemporaryFolder folder;
  const std::string mount = folder.path() / "fs";
  const auto vmstat = folder.write("vmstat", "pgfault 8\noom_kill 5\n");
  const auto own = folder.write("own", "4:memory:/job\n0::/step\n");
  EXPECT_EQ(memory_kills(mount, own, folder.path() / "none"), std::nullopt);
  EXPECT_EQ(memory_kills(mount, own, vmstat), 5) << "no group counts";
  folder.write("fs/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(memory_kills(mount, own, vmstat), 4) << "in a container the mounted root is the own group";
  folder.write("fs/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(memory_kills(mount, own, vmstat), 3);
  folder.write("fs/step/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 2\noom_group_kill 0\n");
  EXPECT_EQ(memory_kills(mount, own, vmstat), 2);
}

TEST(Memory, LimitIsTheLeastOfAllGroupsAround) {
  const TemporaryFolder folder;
  const std::string mount = folder.path() / "fs";
  const auto own = folder.write("own", "0::/job/step\n");
  EXPECT_EQ(memory_limit(mount, own), std::nullopt);
  for (const char* group : {"fs/job", "fs/job/step"})
    folder.write(fmt::format("{}/memory.current", group), "1000\n");
  folder.write("fs/job/step/memory.max", "max\n");
  EXPECT_EQ(memory_limit(mount, own), std::nullopt);
  folder.write("fs/job/memory.max", "4194304\n");
  EXPECT_EQ(memory_limit(mount, own), 4194304);
}

TEST(CpuModel, HasAName) {
  EXPECT_FALSE(cpu_model().empty());
}

/// Processors with 64 bits of Arm have no model name.
TEST(CpuModel, OfAnArmProcessorIsThatOfItsPart) {
  const auto model_in = [](const std::string& text) {
    std::istringstream in(text);
    return cpu_model(in);
  };
  const auto arm = [&](const std::string& implementer, const std::string& part) {
    return model_in("processor\t: 0\nBogoMIPS\t: 2100.00\nFeatures\t: fp asimd sve\nCPU implementer\t: " +
                    implementer + "\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: " + part +
                    "\nCPU revision\t: 1\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n");
  };
  EXPECT_EQ(arm("0x41", "0xd40"), "Neoverse-V1");
  EXPECT_EQ(arm("0x41", "0xd0c"), "Neoverse-N1");
  EXPECT_EQ(arm("0xc0", "0xac3"), "Ampere-1");
  EXPECT_EQ(arm("0x48", "0xd01"), "Kunpeng-920");
  EXPECT_EQ(arm("0x46", "0x001"), "A64FX");
  EXPECT_EQ(arm("0x41", "0xfff"), "Arm, part 0xfff of implementer 0x41");
  EXPECT_EQ(model_in("processor\t: 0\nmodel name\t: AMD EPYC 9V74\n"), "AMD EPYC 9V74");
  EXPECT_EQ(model_in("processor\t: 0\n"), "unknown CPU");
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
