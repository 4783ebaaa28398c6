// The live line under a run: what is measured, and for how long still.
#pragma once

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
  double last_shown_ = 0;
};

/// The line's text, shortened to `width` columns.
std::string progress_text(const SessionProgress& progress, int width);

/// The columns of the terminal that `descriptor` is; 80 where it does not say.
int terminal_width(int descriptor);

}  // namespace breakeven
