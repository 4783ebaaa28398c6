// One run: from planned cases to a result, with every backend of a problem measured in turn.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/config.h"
#include "results/result.h"
#include "session/engine.h"

namespace breakeven {

/// What is under way, for people.
struct SessionProgress {
  std::size_t cases_done = 0, cases_total = 0;
  std::string id, backend;
  std::string activity;                      // "preparing", "verifying", "training", "sampling"
  std::optional<double> median, half_width;  // so far; the half width as a part of the median
  std::optional<double> seconds_left = {};   // of the whole run, where that is known well enough
  bool at_most = false;                      // they are a time limit, and it may end before
};

struct SessionPlan {
  Config config;
  std::vector<BackendRecord> backends;   // to be measured, the available ones among them
  bool backends_are_named = true;        // else all that were found: each measures what it has
  std::optional<BackendRecord> arbiter;  // knows the truth; without it nothing can be verified
  int threads = 1;
  std::optional<Result> earlier;  // a run that this one goes on from
};

/// Measures everything that is missing; all that the earlier run has stays, asked for or not. `save` is
/// called with the result as it stands and the index of the first case that is new in it, after every
/// problem. An interruption returns early, with `complete` false.
Result run_session(const SessionPlan& plan,
                   const std::function<void(const Result&, std::size_t first_changed)>& save,
                   const std::function<void(const SessionProgress&)>& show,
                   const Instruments& instruments = real_instruments());

/// 0; 1 for a wrong result; 4 for cases that failed or are missing.
int exit_status(const Result& result);

}  // namespace breakeven
