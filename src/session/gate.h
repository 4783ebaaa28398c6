// The regression gate: samples both sides of every case in turn until a verdict is clear.
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

/// The options with which the side's programs are started.
WorkerOptions options_of(const Side& side);

/// One of the side's backends. Its worker's key includes the side's name.
std::unique_ptr<Participant> participant_of(const BackendRecord& backend, const Side& side,
                                            std::string_view side_name);

/// A backend of each side. Both have one name, unless two backends are compared with each other.
struct BackendPair {
  std::string base, head;
  /// "openblas", or "openblas → mkl".
  std::string name() const;
};

struct GatePlan {
  Config config;
  Side base{.threads = 1}, head{.threads = 1};
  std::vector<BackendPair> backends;               // measured if both sides have them, listed if one has
  std::optional<BackendRecord> reference_backend;  // without it nothing can be verified
  int threads = 1;                                 // of the reference backend
  GateRules rules;                                 // `cases` is filled in by run_gate()
  double max_seconds = 600;                        // for all cases; those undecided by then are inconclusive
};

/// Launches fresh processes of both sides repeatedly, and samples every undecided case in each launch. Calls
/// `save` with the verdicts so far after every case. If interrupted, returns early with `complete` false and
/// the verdicts so far.
Verdicts run_gate(const GatePlan& plan, const std::function<void(const Verdicts&)>& save,
                  const ShowProgress& show, const Instruments& instruments = real_instruments());

/// A rough estimate of the time that a gate needs on a machine at its own speed.
struct GateSeconds {
  double unchanged = 0;  // if nothing changed: the launches up to the first look
  double changed = 0;    // if every case changed: those and the launches that confirm it
};
/// The estimate for these cases, each on so many backends.
GateSeconds estimated_seconds(const Config& config, std::size_t backends, GateRules rules);

/// The fraction of a case's time that one launch of a gate or a threshold samples: there are many launches.
inline constexpr double launch_share = 0.15;

/// The number of pairs of samples in a launch if a sample takes `sample_seconds`: as many as fit into
/// launch_share, or into `more_seconds` of each side. Always even, so that either side goes first equally
/// often.
std::size_t pairs_of_launch(double sample_seconds, const Measure& measure, double more_seconds = 0);

/// Seconds for which a launch may sample each side if everything before its first sample took `overhead`
/// seconds: as long again, because noise within launches and between them is averaged most cheaply in about
/// equal parts (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, section 5). Limited
/// so that there is time for the launches that a verdict may need, if a case has `case_seconds` in all.
double seconds_as_overhead(double overhead, double case_seconds);

}  // namespace breakeven
