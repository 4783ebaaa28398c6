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

struct SessionPlan {
  Config config;
  std::vector<BackendRecord> backends;  // to be measured, including unavailable ones
  bool backends_are_named = true;       // if false, all found backends; each measures the operations it has
  std::optional<BackendRecord> reference_backend;  // without it nothing can be verified
  int threads = 1;
  std::vector<int> fewer_threads = {};  // numbers that a case may take instead of `threads`
  std::optional<Result> earlier;        // a run that this one continues
  std::string commit = {};              // of this program's source; empty if unknown
  std::string machine = {};             // the user's name for this machine; empty: none, or the earlier run's
};

/// Measures all missing cases. All cases of the earlier run are kept, requested or not. Calls `save` after
/// every problem with the result so far and the index of the first case that has changed, and once before. If
/// `save` throws FileTooLarge then, so does this; later it ends the run early, with a warning. If
/// interrupted, returns early with `complete` false.
Result run_session(const SessionPlan& plan,
                   const std::function<void(const Result&, std::size_t first_changed)>& save,
                   const ShowProgress& show, const Instruments& instruments = real_instruments());

/// Returns 0; 1 if there is a wrong result; 4 if cases failed or are missing.
int exit_status(const Result& result);

}  // namespace breakeven
