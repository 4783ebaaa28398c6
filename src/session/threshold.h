// Finds the value from which one side is faster. The value that each launch measures follows from those
// before.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "plan/threshold_config.h"
#include "session/gate.h"
#include "session/session.h"
#include "verdicts/threshold.h"

namespace breakeven {

struct ThresholdPlan {
  ThresholdConfig config;
  std::array<Side, 2> sides{Side{.threads = 1}, Side{.threads = 1}};  // baseline and challenger
  std::optional<BackendRecord> reference_backend;                     // without it nothing can be verified
  std::array<std::vector<int>, 2> fewer_threads = {};                 // as those of a SessionPlan
  int threads = 1;                                                    // of the reference backend
  double max_seconds = 3600;  // for all questions; those unanswered by then are unclear
};

/// Calls `save` after every measured value with a function that returns the threshold so far, which is
/// computed only when that function is called, because it fits lines. If interrupted, returns early with
/// `complete` false.
Threshold run_threshold(const ThresholdPlan& plan,
                        const std::function<void(const std::function<Threshold()>&)>& save,
                        const ShowProgress& show, const Instruments& instruments = real_instruments());

}  // namespace breakeven
