#include "workloads/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>

#include "host/cpu.h"

namespace breakeven {
namespace {

TEST(PartOf, LeavesNoGapAndDiffersByOneAtMost) {
  for (const std::int64_t length : {0, 1, 5, 64, 97}) {
    for (const std::int64_t parts : {1, 2, 3, 64, 100}) {
      std::int64_t covered = 0;
      for (std::int64_t index = 0; index < parts; ++index) {
        const Part part = part_of(length, index, parts);
        EXPECT_EQ(part.first, covered);
        EXPECT_GE(part.count, length / parts);
        EXPECT_LE(part.count, length / parts + 1);
        covered = part.last();
      }
      EXPECT_EQ(covered, length) << parts << " parts";
    }
  }
}

TEST(ParallelFor, TakesEachItemOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 64, 97}) {
    for (const int threads : {-1, 0, 1, 2, 3, 64, 100}) {
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
      parallel_for(count, threads, [&](std::int64_t i) { ++taken[static_cast<std::size_t>(i)]; });
      for (const auto& times : taken) EXPECT_EQ(times, 1) << count << " items, " << threads << " threads";
    }
  }
}

TEST(ParallelParts, ThrowWhatTheFirstOfThemThrewWhenAllHaveEnded) {
  for (const std::int64_t fails_from : {0, 1, 3}) {
    std::atomic<int> ended = 0;
    std::string thrown;
    try {
      parallel_parts(4, 4, [&](std::int64_t part, std::int64_t, std::int64_t) {
        ++ended;
        if (part >= fails_from) throw std::runtime_error(std::to_string(part));
      });
    } catch (const std::runtime_error& e) {
      thrown = e.what();
    }
    EXPECT_EQ(thrown, std::to_string(fails_from));
    EXPECT_EQ(ended, 4);
  }
}

TEST(ThreadsFor, AreOneUnlessThereIsMuchToDo) {
  constexpr std::int64_t million = 1 << 20;
  const auto cpus = static_cast<int>(allowed_cpus().size());
  EXPECT_EQ(threads_for(0), 1);
  EXPECT_EQ(threads_for(2 * million - 1), 1);
  EXPECT_EQ(threads_for(2 * million), std::min(2, cpus));
  EXPECT_EQ(threads_for(std::numeric_limits<std::int64_t>::max()), cpus);
}

}  // namespace
}  // namespace breakeven
