#include "host/speed_probe.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/cache.h"
#include "host/cpu.h"
#include "host/pinned_threads.h"
#include "host/speed_kernels.h"
#include "host/threads.h"
#include "unit/messages.h"

namespace breakeven {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<int> threads_of_process() {
  std::set<int> threads;
  for (const auto& [thread, seconds] : thread_times(getpid())) threads.insert(thread);
  return threads;
}

double cpu_seconds_of_process() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int first_cpu() {
  return allowed_cpus().front();
}

TEST(CpuSpeedProbeTest, MeasuresEveryCpuOfTheList) {
  CpuSpeedProbe probe(allowed_cpus());
  probe.calibrate();
  const SpeedReading reading = probe.measure();
  std::vector<int> measured;
  for (const CpuSpeedTimes& cpu : reading.times.cpus) {
    measured.push_back(cpu.cpu);
    EXPECT_GT(cpu.throughput_seconds, 1e-6);
    EXPECT_GT(cpu.clock_seconds, 1e-6);
    EXPECT_GT(cpu.l2_seconds, 1e-7);
    EXPECT_GT(cpu.cpu_share, 0);
    EXPECT_LT(cpu.cpu_share, 1.5);
  }
  EXPECT_EQ(measured, allowed_cpus());
  EXPECT_GT(reading.speed.share, 0);
  EXPECT_LE(reading.speed.share, 1);
  EXPECT_LE(probe.share_again(ratios_of(reading.times)), 1);
}

TEST(CpuSpeedProbeTest, SaysWhyItsReferenceIsNotAbsolute) {
  CpuSpeedProbe probe({first_cpu()});
  probe.calibrate();
  const SpeedReference reference = probe.reference();
  EXPECT_EQ(reference.why.empty(), reference.kind == SpeedReferenceKind::absolute) << reference.why;
}

TEST(CpuSpeedProbeTest, ReadsMemoryAtMostOnceASecond) {
  CpuSpeedProbe probe({first_cpu()});
  const auto start = std::chrono::steady_clock::now();
  const bool first = probe.measure().times.cpus.front().memory_seconds.has_value();
  const bool second = probe.measure().times.cpus.front().memory_seconds.has_value();
  if (std::chrono::steady_clock::now() - start >= std::chrono::seconds(1))
    GTEST_SKIP() << "too slow a machine";
  std::byte line{};
  EXPECT_EQ(first, flush_lines(&line, 1));
  EXPECT_FALSE(second);
}

TEST(CpuSpeedProbeTest, HandsACacheLineFromCpuToCpu) {
  EXPECT_FALSE(CpuSpeedProbe({first_cpu()}).measure().times.core_to_core_seconds) << "there is no other CPU";
  std::vector<int> two = allowed_cpus();
  if (two.size() < 2) GTEST_SKIP() << "needs two CPUs";
  two.resize(2);
  std::optional<double> seconds;  // empty if other programs keep a thread waiting
  const auto start = std::chrono::steady_clock::now();
  while (!seconds && std::chrono::steady_clock::now() - start < std::chrono::seconds(30))
    seconds = CpuSpeedProbe(two).measure().times.core_to_core_seconds;
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 1e-9);
  EXPECT_LT(*seconds, 1e-3);
}

TEST(CpuSpeedProbeTest, LeavesTheCallersAffinityAlone) {
  const std::vector<int> before = allowed_cpus();
  CpuSpeedProbe probe({before.back()});
  probe.calibrate();
  probe.measure();
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(CpuSpeedProbeTest, SleepsBetweenProbes) {
  CpuSpeedProbe probe(allowed_cpus());
  probe.measure();
  const double before = cpu_seconds_of_process();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_seconds_of_process() - before, 0.02);
}

TEST(CpuSpeedProbeTest, ItsThreadsEndWithIt) {
  // Threads of earlier tests may end in the meantime: the kernel removes a thread from its list some time
  // after it can be joined.
  const std::set<int> before = threads_of_process();
  if (before.empty()) GTEST_SKIP() << "the kernel keeps no statistics of threads";
  const auto started = [&] {
    std::set<int> others;
    std::ranges::set_difference(threads_of_process(), before, std::inserter(others, others.end()));
    return others;
  };
  {
    CpuSpeedProbe probe(allowed_cpus());
    probe.measure();
    EXPECT_EQ(started().size(), allowed_cpus().size());
  }
  for (int i = 0; i < 500 && !started().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(started(), IsEmpty());
}

TEST(CpuSpeedProbeTest, NamesCpusThatItCannotMeasure) {
  constexpr int missing = 60000;  // fewer exist in any machine
  const CpuSpeedProbe probe({first_cpu(), missing});
  EXPECT_THAT(probe.unpinned_cpus(), ElementsAre(missing));
  EXPECT_THAT(message_of<std::runtime_error>([] { const CpuSpeedProbe none({missing}); }),
              HasSubstr("CPUs 60000"));
}

TEST(PinnedThreadsTest, EachRunsOnItsCpuAndAloneWhereAsked) {
  PinnedThreads threads(allowed_cpus());
  std::vector<std::vector<int>> masks(threads.cpus().size());
  std::vector<std::size_t> all(masks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  threads.run(all, [&](std::size_t i) { masks[i] = cpus_of_thread(0); });
  for (std::size_t i = 0; i < masks.size(); ++i) EXPECT_THAT(masks[i], ElementsAre(threads.cpus()[i]));
  std::atomic<int> ran = 0;
  threads.run({0}, [&](std::size_t) { ++ran; });
  EXPECT_EQ(ran, 1);
}

TEST(PinnedThreadsTest, ThrowsWhatTheWorkThrowsAndGoesOn) {
  PinnedThreads threads({first_cpu()});
  EXPECT_THROW(threads.run({0}, [](std::size_t) { throw std::runtime_error("broken"); }), std::runtime_error);
  bool ran = false;
  threads.run({0}, [&](std::size_t) { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(SpeedKernelsTest, TheRandomOrderHasEveryLineOnce) {
  const std::vector<std::uint32_t> order = random_line_order(4096);
  const std::set<std::uint32_t> lines(order.begin(), order.end());
  EXPECT_EQ(order.size(), 64U);
  EXPECT_EQ(lines.size(), 64U);
  EXPECT_EQ(*lines.rbegin(), 4032U);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(CacheTest, CpusThatShareAnL2CacheDivideIt) {
  const int cpu = first_cpu();
  const std::size_t alone = l2_share_bytes(cpu, {cpu});
  EXPECT_GE(alone, std::size_t{64} << 10U);
  EXPECT_LE(l2_share_bytes(cpu, allowed_cpus()), alone);
  EXPECT_EQ(l2_share_bytes(cpu, {cpu, cpu}), l2_share_bytes(1000, {1000}) == alone ? alone : alone / 2);
}

}  // namespace
}  // namespace breakeven
