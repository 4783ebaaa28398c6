// Two sides of every case, sampled in turn until a verdict is clear: the regression gate.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "session/engine.h"
#include "session/session.h"
#include "verdicts/sequential.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct GateSide {
  std::string source;                                            // the folder of its programs
  std::string backend = {};                                      // the only one, where it is named
  std::vector<std::pair<std::string, std::string>> environment;  // set for this side alone
  int threads = 1;
  std::vector<BackendRecord> backends;  // available or not
  std::string name = {};                // what reports call it; empty: by its source

  const std::string& shown_name() const { return name.empty() ? source : name; }
};

/// How the side's programs are started.
WorkerOptions options_of(const GateSide& side);

/// One of the side's backends, with the side's name in its worker's key.
std::unique_ptr<Participant> participant_of(const BackendRecord& backend, const GateSide& side,
                                            std::string_view side_name);

/// A backend of each side: of one name, unless two backends are compared with each other.
struct BackendPair {
  std::string base, head;
  /// "openblas", or "openblas → mkl"
  std::string name() const;
};

struct GatePlan {
  Config config;
  GateSide base, head;
  std::vector<BackendPair> backends;     // measured where both sides have them, listed where one has
  std::optional<BackendRecord> arbiter;  // the reference; without it nothing can be verified
  int threads = 1;                       // of the arbiter
  GateRules rules;                       // `cases` is filled in
  double max_seconds = 600;              // for all cases; one undecided by then is inconclusive
};

/// Launches fresh processes of both sides again and again, and samples every undecided case in each. `save`
/// is called with the verdicts so far after every case. An interruption returns early, with `complete` false
/// and what is decided.
Verdicts run_gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
                  const std::function<void(const SessionProgress&)>& show,
                  const Instruments& instruments = real_instruments());

/// Of a case's time that one launch of a gate or a threshold samples for: there are many launches.
inline constexpr double launch_share = 0.15;

/// Pairs of samples in a launch, where a sample takes `sample_seconds`: an even number, so that either side
/// goes first equally often. As many as fit into launch_share, or into `more_seconds` of each side.
std::size_t pairs_of_launch(double sample_seconds, const Measure& measure, double more_seconds = 0);

/// Seconds that a launch may sample each side for, where everything before its first sample took `overhead`
/// seconds: as long again, because noise within launches and between them is averaged most cheaply in about
/// equal parts (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, section 5). No more
/// than leaves time for the launches that a verdict may need, where a case has `case_seconds` in all.
double seconds_as_overhead(double overhead, double case_seconds);

}  // namespace breakeven
