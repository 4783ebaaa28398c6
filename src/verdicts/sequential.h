// When a gate may stop measuring a case, and with which verdict. Pure functions.
//
// Decisions are based on one number per launch (fresh processes of both sides): the logarithm of how much
// longer the head takes. Launches differ by more than the samples within one (Kalibera and Jones, Rigorous
// benchmarking in reasonable time, ISMM 2013), so they are the unit.
//
// A case is looked at after certain numbers of launches, and each look may spend a part of the case's chance
// of error, so that all looks together keep it, whatever the dependence between them (Bonferroni):
//   same     as soon as the whole interval is within the threshold;
//   suspect  as soon as the interval excludes no change and the estimate reaches the threshold. It is
//            measured again, in fresh launches that nothing before has chosen, and is slower or faster only
//            where those say so by themselves.
// The first launches only choose what is looked into; what may fail a build is the test of the confirming
// ones. It is the randomisation test of signs, which assumes nothing of the noise but that it treats both
// sides alike: launches that come in two kinds, as memory is laid out in one way or another, deceive a t-test
// of few launches, but not this one. It bounds both stages: a case that did not change is suspected with a
// chance of at most `suspicion`, and confirmed with one of at most confirming_error(), whose product is
// false_alarm divided by the number of cases.
//
// Now and then a launch is far out: a neighbour computed, or a process got an unlucky memory layout. So
// estimates are trimmed means, and in the test no launch counts for much more than most.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

struct GateRules {
  double threshold = 0.03;    // the smallest change that matters: 0.03 is a ratio of 1.03, and of 1 / 1.03
  double false_alarm = 0.01;  // chance that any unchanged case of the suite is called slower or faster
  double suspicion = 0.2;     // chance that an unchanged case is suspected, whatever the noise
  double missed = 0.05;       // chance that a case changed by the threshold is called the same at a look
  std::size_t cases = 1;      // of the suite
};

/// A look at a case: after how many launches, and the parts of the chance of error and of that of suspicion
/// that it may spend. Over all looks of a stage they sum up to 1; the second stage suspects nothing.
struct Look {
  int launches = 0;
  double share = 0;
  double suspicion = 0;
};
std::vector<Look> first_looks();
/// The looks of the confirming stage; the first is as early as the randomisation test can decide at all.
std::vector<Look> confirming_looks(const GateRules& rules);
/// The probability that the confirming launches of an unchanged suspect confirm it, at any look.
double confirming_error(const GateRules& rules);

/// The effects observed in one case: log(head / base) by launch.
struct Effects {
  std::vector<double> first, confirming;
  std::optional<bool> suspected_slower;  // what the confirming launches are to confirm; absent: no suspicion
};

struct Step {
  enum class Next { measure, confirm, stop };
  Next next = Next::measure;
  Verdict verdict = Verdict::inconclusive;  // where it stops
  bool slower = false;                      // where it is to be confirmed
};

/// The next step after the launches so far; call it after each. `measure` means another launch.
Step next_step(const Effects& effects, const GateRules& rules);

/// The verdict on a case that is not measured further because its last look or the time limit was reached:
/// the same, or not slower, if the 95 % interval of all launches shows it. Fewer launches than the first look
/// needs show nothing. A change by the threshold is overlooked here in at most 2.5 % of cases, in addition to
/// `missed`.
struct Ending {
  Verdict verdict = Verdict::inconclusive;
  bool not_slower = false;
};
Ending end_undecided(const Effects& effects, const GateRules& rules);

/// Adds a launch's effect to the current stage, and returns the next step; records a suspicion in `effects`.
Step add_launch(Effects& effects, double effect, const GateRules& rules);

/// The value that decisions are based on: the trimmed mean. Needs at least one launch.
double estimate(const std::vector<double>& effects);
/// The deviation of a launch as it affects an estimate: its standard error times the square root of the
/// number of launches. Needs at least two launches.
double deviation(const std::vector<double>& effects);

/// The ratio and its 95 % interval from all launches of both stages; empty for fewer than two.
std::optional<Ratio> ratio_of(const Effects& effects);

/// log(head / base) of a launch: the median over its pairs.
double effect_of(const LaunchSamples& launch);

}  // namespace breakeven
