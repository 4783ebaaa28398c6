// Looks for the value from which one side is faster: which value each launch measures follows from those
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
  std::array<GateSide, 2> sides;         // the baseline, and its challenger
  std::optional<BackendRecord> arbiter;  // knows the truth; without it nothing can be verified
  int threads = 1;                       // of the arbiter
  double max_seconds = 3600;             // of all; what is not answered by then is unclear
};

/// `save` is called after every value measured, with what tells what is known by then, if it is wanted: lines
/// are fitted for it. An interruption returns early, with `complete` false.
Threshold run_threshold(const ThresholdPlan& plan,
                        const std::function<void(const std::function<Threshold()>&)>& save,
                        const std::function<void(const SessionProgress&)>& show,
                        const Instruments& instruments = real_instruments());

}  // namespace breakeven
