// Pins each computing thread of a worker to a core. Otherwise the kernel may put two threads that wait for
// each other on one core and leave them there for seconds, in one process and not in the next.
#pragma once

#include <map>
#include <utility>
#include <vector>

namespace breakeven {

struct PlacedThread {
  int thread = 0;  // thread id
  int cpu = 0;
  bool operator==(const PlacedThread&) const = default;
};

/// CPU time of a worker's threads in one sample.
struct ThreadUse {
  std::map<int, double> cpu_seconds;  // by thread id, for the threads that exist now
  double process_seconds = 0;         // CPU time of all threads, including those that have ended
  double wall_seconds = 0;            // of the sample
};

/// Assigns a CPU to each thread that computed, that is, used at least a tenth of the busiest thread's CPU
/// time. Threads are in the order of their ids, which is that of their start, so that the first, usually the
/// main thread, gets the first CPU. There may be more threads than CPUs if a library uses two pools in turn,
/// which shows in a main thread that computes all the time: each pool then gets all CPUs after the first.
/// Returns an empty list if the numbers do not fit, if there are fewer than two CPUs, or if threads that have
/// ended did part of the work: the next ones would all inherit the CPU of the thread that starts them.
std::vector<PlacedThread> place_threads(const ThreadUse& use, const std::vector<int>& cpus);

/// Pins the threads of one worker to their CPUs.
class Placement {
 public:
  /// `allowed` are the CPUs that the worker's threads may use otherwise. `cpus` are those to pin threads to,
  /// in order; with fewer than two, no thread is pinned.
  Placement(int pid, std::vector<int> allowed, std::vector<int> cpus)
      : pid_(pid), allowed_(std::move(allowed)), cpus_(std::move(cpus)) {}

  /// Call it before a sample that shows which threads compute.
  void watch(double process_seconds);
  /// Call it after that sample, when the worker is idle. If the program has pinned threads itself, all its
  /// threads are left alone.
  void place(double wall_seconds, double process_seconds);
  /// Lets all threads run on all allowed CPUs again, so that threads started from now on inherit that.
  void undo();
  /// The CPU of each pinned thread; empty if the kernel decides.
  const std::vector<PlacedThread>& placed() const { return placed_; }
  /// True if the kernel did not let a thread be pinned. All are free then.
  bool is_refused() const { return refused_; }

 private:
  int pid_;
  std::vector<int> allowed_, cpus_;
  std::map<int, double> before_;
  double process_before_ = 0;
  std::vector<PlacedThread> placed_;
  bool refused_ = false;
};

}  // namespace breakeven
