// Tests which thread is placed on which core, and that threads are pinned and released, with threads of this
// process.
#include "session/placement.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "host/cpu.h"
#include "host/threads.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The placement of threads 10, 11, ... that computed for these seconds of a sample of one second.
std::vector<PlacedThread> placed(const std::vector<double>& seconds, const std::vector<int>& cpus,
                                 double of_ended_threads = 0) {
  ThreadUse use{.cpu_seconds = {}, .process_seconds = of_ended_threads, .wall_seconds = 1};
  for (const double s : seconds) {
    use.cpu_seconds[10 + static_cast<int>(use.cpu_seconds.size())] = s;
    use.process_seconds += s;
  }
  return place_threads(use, cpus);
}

TEST(PlaceThreads, GivesEachThreadThatComputedACoreInTheOrderOfTheirStart) {
  EXPECT_THAT(placed({1, 0.9}, {4, 2}), ElementsAre(PlacedThread{10, 4}, PlacedThread{11, 2}));
  EXPECT_THAT(placed({0.3, 0.0, 1, 0.09, 0.1}, {7, 5, 3}),
              ElementsAre(PlacedThread{10, 7}, PlacedThread{12, 5}, PlacedThread{14, 3}))
      << "less than a tenth of the busiest is no part of the computation";
  EXPECT_THAT(placed({1, 0, 0}, {1, 0}), ElementsAre(PlacedThread{10, 1}));
}

TEST(PlaceThreads, LeavesThemAloneWhereThereIsNothingToShareOut) {
  EXPECT_THAT(placed({1, 1}, {}), IsEmpty());
  EXPECT_THAT(placed({1, 1}, {0}), IsEmpty());
  EXPECT_THAT(placed({0, 0}, {0, 1}), IsEmpty()) << "nobody computed";
  EXPECT_THAT(placed({}, {0, 1}), IsEmpty());
}

TEST(PlaceThreads, SharesOutPoolsThatTakeTurns) {
  EXPECT_THAT(placed({0.95, 0.4, 0.5}, {0, 1}),
              ElementsAre(PlacedThread{10, 0}, PlacedThread{11, 1}, PlacedThread{12, 1}))
      << "two pools, of one helper each";
  EXPECT_THAT(placed({0.95, 0.4, 0.4, 0.5, 0.5}, {6, 7, 8}),
              ElementsAre(PlacedThread{10, 6}, PlacedThread{11, 7}, PlacedThread{12, 8}, PlacedThread{13, 7},
                          PlacedThread{14, 8}));
  EXPECT_THAT(placed({0.5, 0.4, 0.5}, {0, 1}), IsEmpty()) << "the main thread waits for two at once";
  EXPECT_THAT(placed({0.95, 0.4, 0.4, 0.5}, {6, 7, 8}), IsEmpty()) << "pools that do not fit";
}

TEST(PlaceThreads, LeavesAProgramAloneWhoseThreadsComeAndGo) {
  EXPECT_THAT(placed({1, 0.1}, {0, 1}, 0.9), IsEmpty());
  EXPECT_THAT(placed({1, 0.9}, {0, 1}, 0.1), testing::SizeIs(2)) << "a little is the kernel's accounting";
}

/// A thread that computes until its destruction. It never yields: next to other work, the kernel would give
/// it no time.
class BusyThread {
 public:
  BusyThread() {
    while (id_ == 0) std::this_thread::yield();
  }
  int id() const { return id_; }

 private:
  std::atomic<int> id_{0};
  std::jthread thread_{[this](const std::stop_token& stop) {
    id_ = static_cast<int>(gettid());
    while (!stop.stop_requested()) {
    }
  }};
};

class ThreadsPlaced : public testing::Test {
 protected:
  void SetUp() override {
    if (allowed_.size() < 2) GTEST_SKIP() << "one CPU: nothing to place";
  }
  /// Places threads after a sample in which each of these threads has computed for a while, however long that
  /// takes on a busy machine, and this one hardly at all, although it reads their times.
  void place(Placement& placement, const std::vector<int>& busy) {
    constexpr double a_while = 0.05;
    constexpr double hardly = 0.04;  // of their time; from 0.1 on it would be placed, too
    const auto before = thread_times(getpid());
    placement.watch(0);
    const auto have_computed = [&] {
      const auto now = thread_times(getpid());
      const auto seconds = [&](int id) { return now.at(id) - before.at(id); };
      const double least = std::max(a_while, seconds(static_cast<int>(gettid())) / hardly);
      return std::all_of(busy.begin(), busy.end(), [&](int id) { return seconds(id) >= least; });
    };
    for (auto pause = std::chrono::milliseconds(20); !have_computed(); pause *= 2)
      std::this_thread::sleep_for(pause);
    // No more time than its threads used: the rest of the process is not part of the test.
    placement.place(a_while, 0);
  }
  const std::vector<int> allowed_ = allowed_cpus();
  const std::vector<int> cpus_{allowed_[0], allowed_.back()};
};

TEST_F(ThreadsPlaced, AreHeldAndReleased) {
  Placement placement(getpid(), allowed_, cpus_);
  const BusyThread one, other;
  place(placement, {one.id(), other.id()});
  ASSERT_EQ(placement.placed().size(), 2);
  EXPECT_THAT(cpus_of_thread(one.id()), ElementsAre(cpus_[0]));
  EXPECT_THAT(cpus_of_thread(other.id()), ElementsAre(cpus_[1]));
  EXPECT_EQ(cpus_of_thread(0), allowed_) << "this thread slept";
  placement.undo();
  EXPECT_THAT(placement.placed(), IsEmpty());
  EXPECT_EQ(cpus_of_thread(one.id()), allowed_);
  EXPECT_EQ(cpus_of_thread(other.id()), allowed_);
}

TEST_F(ThreadsPlaced, AreReleasedWithThoseTheyHaveStarted) {
  Placement placement(getpid(), allowed_, cpus_);
  const BusyThread one;
  place(placement, {one.id()});
  ASSERT_EQ(placement.placed().size(), 1);
  ASSERT_TRUE(set_cpus_of_thread(0, {cpus_[0]})) << "as if this thread had been placed";
  const auto inherited = std::make_unique<BusyThread>();
  ASSERT_TRUE(set_cpus_of_thread(0, allowed_));
  ASSERT_THAT(cpus_of_thread(inherited->id()), ElementsAre(cpus_[0]));
  placement.undo();
  EXPECT_EQ(cpus_of_thread(inherited->id()), allowed_);
}

TEST_F(ThreadsPlaced, AreNotRecordedWhereTheKernelRefuses) {
  Placement placement(getpid(), allowed_, {allowed_[0], 60'000});  // no machine has as many CPUs
  const BusyThread one, other;
  place(placement, {one.id(), other.id()});
  EXPECT_TRUE(placement.is_refused());
  EXPECT_THAT(placement.placed(), IsEmpty());
  EXPECT_EQ(cpus_of_thread(one.id()), allowed_) << "no thread is placed if another is not";
  EXPECT_FALSE(set_cpus_of_process(getpid(), {60'000}));
}

TEST_F(ThreadsPlaced, StayWhereTheirProgramPutThem) {
  Placement placement(getpid(), allowed_, cpus_);
  const BusyThread one, other;
  ASSERT_TRUE(set_cpus_of_thread(other.id(), {cpus_[0]}));
  place(placement, {one.id()});
  EXPECT_THAT(placement.placed(), IsEmpty());
  EXPECT_EQ(cpus_of_thread(one.id()), allowed_);
  EXPECT_THAT(cpus_of_thread(other.id()), ElementsAre(cpus_[0]));
}

TEST(ThreadTimes, AreOfLivingThreadsOnly) {
  const auto own = thread_times(getpid());
  EXPECT_TRUE(own.contains(static_cast<int>(gettid())));
  EXPECT_THAT(thread_times(1 << 30), IsEmpty()) << "no process has such a number";
  EXPECT_THAT(cpus_of_thread(1 << 30), IsEmpty());
  EXPECT_TRUE(set_cpus_of_thread(1 << 30, {0})) << "nothing to confine";
  EXPECT_FALSE(set_cpus_of_process(1 << 30, {0})) << "nothing was confined";
}

}  // namespace
}  // namespace breakeven
