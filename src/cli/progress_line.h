// The progress line during a run: what is measured, and the time left.
#pragma once

#include "host/steady_clock.h"
#include "session/session.h"

namespace breakeven {

/// Writes to standard error, and only to a terminal. Redraws at most ten times a second.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;
  void show(const SessionProgress& progress);
  void clear();

 private:
  bool active_ = false;
  Clock::time_point last_shown_{};
};

/// The number of columns of the terminal behind `descriptor`; 80 if it is unknown.
int terminal_width(int descriptor);

}  // namespace breakeven
