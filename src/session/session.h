// One run: from planned cases to a result. All backends of a problem are measured in turn.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/config.h"
#include "results/result.h"
#include "session/engine.h"

namespace breakeven {

/// Progress to show to the user.
struct SessionProgress {
  std::size_t cases_done = 0, cases_total = 0;
  std::string id, backend;
  std::string activity;                                // "preparing", "verifying", "training", "sampling"
  std::optional<double> median = {}, half_width = {};  // so far; the half width relative to the median
  std::optional<double> seconds_left = {};             // for the whole run, if known well enough
  bool at_most = false;  // `seconds_left` is a time limit; the run may end earlier
};

struct SessionPlan {
  Config config;
  std::vector<BackendRecord> backends;   // to be measured, including unavailable ones
  bool backends_are_named = true;        // if false, all found backends; each measures the operations it has
  std::optional<BackendRecord> arbiter;  // the reference backend; without it nothing can be verified
  int threads = 1;
  std::optional<Result> earlier;  // a run that this one continues
};

/// Measures all missing cases. All cases of the earlier run are kept, requested or not. Calls `save` after
/// every problem with the result so far and the index of the first case that has changed. If interrupted,
/// returns early with `complete` false.
Result run_session(const SessionPlan& plan,
                   const std::function<void(const Result&, std::size_t first_changed)>& save,
                   const std::function<void(const SessionProgress&)>& show,
                   const Instruments& instruments = real_instruments());

/// Returns 0; 1 if there is a wrong result; 4 if cases failed or are missing.
int exit_status(const Result& result);

}  // namespace breakeven
