// Hardware counters of the calling thread (Linux perf_event_open). Most virtual machines have none.
#pragma once

#include <optional>

#include "host/own_speed.h"

namespace breakeven {

/// Counts the events of the thread that constructs it.
class ThreadCounters {
 public:
  ThreadCounters();
  ~ThreadCounters();
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;
  ThreadCounters(ThreadCounters&&) = delete;
  ThreadCounters& operator=(ThreadCounters&&) = delete;

  /// User-space cycles and instructions since construction; empty if the counters cannot be read, or if the
  /// kernel counted only part of the time.
  std::optional<SpeedCounters> read() const;

 private:
  int cycles_ = -1;
  int instructions_ = -1;
};

}  // namespace breakeven
