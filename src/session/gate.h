// Two sides of every case, sampled in turn until a verdict is clear: the regression gate.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "session/session.h"
#include "session/workbench.h"
#include "verdicts/sequential.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct GateSide {
  std::string source;                                            // the folder of its programs
  std::vector<std::pair<std::string, std::string>> environment;  // set for it alone
  int threads = 1;
  std::vector<BackendRecord> backends;  // available or not
};

/// How the side's programs are started.
WorkerOptions options_of(const GateSide& side);

/// One of the side's backends, whose worker is told apart from the other side's by the side's name.
std::unique_ptr<Participant> participant_of(const BackendRecord& backend, const GateSide& side,
                                            std::string_view side_name);

struct GatePlan {
  Config config;
  GateSide base, head;
  std::vector<std::string> backends;     // measured where both sides have them, listed where one has
  std::optional<BackendRecord> arbiter;  // knows the truth; without it nothing can be verified
  int threads = 1;                       // of the arbiter
  GateRules rules;                       // `cases` is filled in
  double max_seconds = 600;              // of all; what is not decided by then is inconclusive
};

/// Launches fresh processes of both sides again and again, and samples every undecided case in each. `save`
/// is called with the verdicts so far after every case. An interruption returns early, with `complete` false
/// and what is decided.
Verdicts run_gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
                  const std::function<void(const SessionProgress&)>& show);

/// Pairs of samples in a launch, of which each takes `sample_seconds`: an even number, so that either side is
/// first equally often.
std::size_t pairs_of_launch(double sample_seconds, const Measure& measure);

}  // namespace breakeven
