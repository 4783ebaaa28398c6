// The process between the driver and a backend program. It ensures that nothing the program started outlives
// it.
#pragma once

#include <sys/types.h>

#include <array>

namespace breakeven {

/// All processes that a program starts, even in sessions of their own, are descendants of its keeper, which
/// adopts those whose parent ends. The keeper kills them when the program ends, when it receives SIGTERM, and
/// when the driver ends for whatever reason. It kills only its own children, until it has none, and never
/// another process. It then ends as the program did, with its exit status or by its signal.
///
/// A launcher also starts processes elsewhere, which only it can end: srun's are children of Slurm's daemons.
/// It is asked to end by SIGTERM first, and has three seconds.
///
/// A keeper that is killed by SIGKILL takes the program with it, but not what the program started.
class WorkerKeeper {
 public:
  /// Call it in the driver, before it forks the process that will execute the program. Throws
  /// std::system_error.
  explicit WorkerKeeper(bool is_launcher);
  ~WorkerKeeper();
  WorkerKeeper(const WorkerKeeper&) = delete;
  WorkerKeeper& operator=(const WorkerKeeper&) = delete;
  WorkerKeeper(WorkerKeeper&&) = delete;
  WorkerKeeper& operator=(WorkerKeeper&&) = delete;

  /// Call it in the forked process, which becomes the keeper. Returns in its child, which must execute the
  /// program.
  void start() const;

  /// Call it in the driver, after the fork. Returns the process id of the program; -1 if there is none.
  pid_t program();

 private:
  bool is_launcher_;
  pid_t driver_;
  std::array<int, 2> pipe_{-1, -1};  // through which the keeper sends the program's id
};

}  // namespace breakeven
