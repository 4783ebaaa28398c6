// Which core each computing thread of a worker runs on. Left to itself the kernel may put two threads that
// wait for each other on one core and leave them there for seconds, in one process and not in the next.
#pragma once

#include <map>
#include <utility>
#include <vector>

namespace breakeven {

struct PlacedThread {
  int thread = 0;  // its id
  int cpu = 0;
  bool operator==(const PlacedThread&) const = default;
};

/// What a worker's threads did in one sample.
struct ThreadUse {
  std::map<int, double> cpu_seconds;  // by thread id, of the threads that live now
  double process_seconds = 0;         // CPU time of all threads, also of those that have ended
  double wall_seconds = 0;            // of the sample
};

/// A CPU for each thread that computed: that used at least a tenth of the CPU time of the busiest. In the
/// order of their ids, which is that of their start, so that the first, as a rule the main thread, gets the
/// first CPU. There may be more threads than CPUs where a library has two pools that it uses in turn, which
/// is told by the main thread's computing all the time: then each pool has the CPUs behind the first to
/// itself. Empty where that does not fit, where there is nothing to share out, or where threads that have
/// ended did part of the work: the next ones would all inherit the place of the one that starts them.
std::vector<PlacedThread> place_threads(const ThreadUse& use, const std::vector<int>& cpus);

/// Holds the threads of one worker in their places.
class Placement {
 public:
  /// `allowed`: the CPUs that its threads may use otherwise. `cpus`: those to be placed on, in order; fewer
  /// than two, and every thread is left alone.
  Placement(int pid, std::vector<int> allowed, std::vector<int> cpus)
      : pid_(pid), allowed_(std::move(allowed)), cpus_(std::move(cpus)) {}

  /// Before a sample that is to show which threads compute.
  void watch(double process_seconds);
  /// After it, when the worker is quiet. Threads that the program has placed itself are left where they are,
  /// and all others with them.
  void place(double wall_seconds, double process_seconds);
  /// Everything may run everywhere again: threads that are started from now on are to inherit that.
  void undo();
  /// By thread; empty where the kernel decides.
  const std::vector<PlacedThread>& placed() const { return placed_; }

 private:
  int pid_;
  std::vector<int> allowed_, cpus_;
  std::map<int, double> before_;
  double process_before_ = 0;
  std::vector<PlacedThread> placed_;
};

}  // namespace breakeven
