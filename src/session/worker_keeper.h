// The process between the driver and a backend program, which lets nothing that the program started outlive
// it.
#pragma once

#include <sys/types.h>

#include <array>

namespace breakeven {

/// All that a program starts, in sessions of their own too, are descendants of its keeper, which adopts those
/// whose parent ends. The keeper kills them when the program ends, when it is itself sent SIGTERM, and when
/// the driver ends for whatever reason. It kills children of its own alone, until it has none: never a
/// process of anybody else. It then ends as the program did, with its exit status or by its signal.
///
/// A keeper that is killed by SIGKILL takes the program with it, but not what the program started.
class WorkerKeeper {
 public:
  /// In the driver, before it forks the process that is to execute the program. Throws std::system_error.
  WorkerKeeper();
  ~WorkerKeeper();
  WorkerKeeper(const WorkerKeeper&) = delete;
  WorkerKeeper& operator=(const WorkerKeeper&) = delete;
  WorkerKeeper(WorkerKeeper&&) = delete;
  WorkerKeeper& operator=(WorkerKeeper&&) = delete;

  /// In the forked process, which becomes the keeper. Returns in a child of it, which is to execute the
  /// program.
  void start() const;

  /// In the driver, after the fork: the process id of the program; -1 if there is none.
  pid_t program();

 private:
  pid_t driver_;
  std::array<int, 2> pipe_{-1, -1};  // through which the keeper tells the program's id
};

}  // namespace breakeven
