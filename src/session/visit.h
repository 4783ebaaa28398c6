// A visit: contenders that are prepared, sampled in rounds and verified together. The rounds are the caller's
// loop, which decides who is sampled and what is kept:
//
//     Visit visit(engine, {.contenders = contenders, .seconds = 3});
//     visit.warm_up();
//     while (visit.goes_on()) {
//       for (const Round& round : visit.sample(due)) keep(round);
//     }
//     visit.end();
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "session/engine.h"

namespace breakeven {

/// One sample of each contender that was due, and the machine's speed meanwhile.
struct Round : RoundSpeed {
  std::vector<std::optional<answer::Sample>> samples;  // indexed by contender of the visit
  bool throttled = false;                              // a GPU had lowered its clocks, and resting may help

  /// True if no disturbance was detected.
  bool is_undisturbed() const { return !throttled && own_speed.value_or(1) >= trusted_speed_share; }

  /// The length of the longest sample, in seconds.
  double longest() const;
  /// The length of all samples.
  double seconds() const;
};

/// The contenders of a visit, and how they are measured.
struct VisitPlan {
  std::vector<Contender*> contenders;
  int launch = 0;
  double seconds = 3;  // for sampling a contender; warming up takes a part of it
  // If true, the first contender that fails ends the visit, because the others are of no use without it, and
  // all take samples of equally many iterations if their times allow it.
  bool is_paired = false;
  bool keeps_iterations = false;  // those found in an earlier visit
};

class Visit {
 public:
  /// Computes the references, and prepares and verifies the contenders that are not finished. `engine` must
  /// outlive the visit.
  Visit(Engine& engine, VisitPlan plan);

  /// Determines the number of iterations of a sample, and takes samples that do not count until their times
  /// are steady. The rounds wait until this time at the latest while the machine is slow.
  void warm_up(double wait_until = 0);

  /// False if there are enough samples, if the run was interrupted, or if a contender of a pair failed. A
  /// round that follows a probe first waits until the machine is at its own speed, as long as it may.
  bool goes_on();
  /// The number of rounds since the latest probe.
  std::size_t pending() const { return rounds_.size(); }
  /// Takes a round of these contenders, in this order. Returns the rounds up to a probe once it has shown the
  /// machine's speed in them: several if they are short, so that probes keep to their share of the time.
  /// Short samples in turn are better than long ones, because a change of the machine's speed then affects
  /// all contenders. If none is due because the pending rounds may be enough, they are probed; the visit has
  /// enough samples if none is due after that.
  std::vector<Round> sample(const std::vector<std::size_t>& due);
  /// True if none was due.
  bool has_enough() const { return has_enough_; }

  /// Measures energy if asked to, verifies again, and releases the case. Returns false if a contender of a
  /// pair failed or the run was interrupted.
  bool end(bool measures_energy = false);

 private:
  /// Ends the rounds, and returns true, if a contender of a pair is finished: nothing is left to compare.
  bool end_if_pair_is_lost(const Contender& contender);
  /// The same number of iterations for both contenders of a pair, if their times allow it.
  void match_iterations() const;
  /// Takes rounds of samples that do not count, until their times are steady.
  void take_warm_up_rounds();
  /// Takes one round, without its speed.
  Round take_round(const std::vector<std::size_t>& due);
  /// Probes the machine, and returns the pending rounds with its speed in them.
  std::vector<Round> probe_rounds();

  Engine& engine_;
  const VisitPlan plan_;
  HostUse before_;
  double wait_until_ = 0;
  std::vector<Round> rounds_;  // since the latest probe
  double begun_ = 0;           // when the first of them may begin
  bool is_lost_ = false;       // a contender of a pair has failed
  bool has_enough_ = false;
};

}  // namespace breakeven
