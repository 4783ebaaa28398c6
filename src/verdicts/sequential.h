// Decides when a gate may stop measuring a case, and with which verdict. Pure functions.
//
// Decisions are based on one number per launch (fresh processes of both sides): the logarithm of how much
// longer the head takes. Launches differ by more than the samples within one (Kalibera and Jones, Rigorous
// benchmarking in reasonable time, ISMM 2013), so they are the unit.
//
// A case is looked at after certain numbers of launches. Each look may use a part of the case's error
// probability, so that all looks together keep it, whatever the dependence between them (Bonferroni):
//   same     as soon as the whole interval is within the threshold;
//   suspect  as soon as the interval excludes no change and the estimate reaches the threshold. It is
//            measured again, in fresh launches that played no part in the suspicion, and is slower or faster
//            only if these show it alone.
// The first launches only select suspects; only the test of the confirming launches may fail a build. It is
// the randomisation test of signs, which assumes only that noise affects both sides alike. Launches of two
// kinds, such as two memory layouts, mislead a t-test of few launches, but not this test. It bounds both
// stages: a case that did not change is suspected with a probability of at most `suspicion`, and confirmed
// with one of at most confirming_error(), whose product is false_alarm divided by the number of cases.
//
// Now and then a launch is an outlier: another process computed, or the memory layout was unlucky. So
// estimates are trimmed means, and the test limits the weight of each launch.
//
// A launch on a machine below its own speed shows bounds of the effect. What was found slower holds for the
// lower bounds, and what was found the same for both.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verdicts/launch_effect.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct GateRules {
  double threshold = 0.03;    // the smallest change that matters: 0.03 is a ratio of 1.03, and of 1 / 1.03
  double false_alarm = 0.01;  // probability that any unchanged case of the suite is called slower or faster
  double suspicion = 0.2;     // probability that an unchanged case is suspected, whatever the noise
  double missed = 0.05;       // probability that a case changed by the threshold is called the same at a look
  std::size_t cases = 1;      // number of cases in the suite
};

/// A look at a case: the number of launches after which it happens, and the fractions of the error and of the
/// suspicion that it may use. Each sums up to 1 over all looks of a stage; the second stage has no suspicion.
struct Look {
  int launches = 0;
  double share = 0;
  double suspicion = 0;
};
std::vector<Look> first_looks();
/// The looks of the confirming stage. The first is at the smallest number of launches with which the
/// randomisation test can decide.
std::vector<Look> confirming_looks(const GateRules& rules);
/// The probability that the confirming launches of an unchanged suspect confirm it, at any look.
double confirming_error(const GateRules& rules);

/// The effects observed in one case, by launch.
struct Effects {
  std::vector<LaunchEffect> first, confirming;
  std::optional<bool> suspected_slower;  // the suspicion to confirm; false: faster; absent: none
};

/// True if neighbours may have done a part of the effect in any of the launches.
bool has_bounds(const Effects& effects);

struct Step {
  enum class Next { measure, confirm, stop };
  Next next = Next::measure;
  Verdict verdict = Verdict::inconclusive;  // if it stops
  bool slower = false;                      // the suspicion, if it is to be confirmed
};

/// Returns the next step after the launches so far. `measure` means another launch. Call it after each
/// launch.
Step next_step(const Effects& effects, const GateRules& rules);

/// The verdict on a case that is not measured further because its last look or the time limit was reached:
/// the same, or not slower, if the 95 % interval of all launches shows it; else inconclusive. So is a case
/// with fewer launches than the first look needs. A change by the threshold is overlooked here in at most 2.5
/// % of cases, in addition to `missed`.
struct Ending {
  Verdict verdict = Verdict::inconclusive;
  bool not_slower = false;
};
Ending end_undecided(const Effects& effects, const GateRules& rules);

/// Adds a launch's effect to the current stage, and returns the next step; records a suspicion in `effects`.
Step add_launch(Effects& effects, const LaunchEffect& effect, const GateRules& rules);

/// The next step after these launches, and the effects that it rests on.
struct Decision {
  Step step;
  Effects effects;
};
/// Decides a case from all of its launches, in their order. The launches whose effects are known decide
/// alone, with nine tenths of the error. Where they do not, launches may find the case slower or faster by
/// their bounds, with the other tenth: those above each of several speeds of the machine, and all.
Decision decide_from(const std::vector<LaunchEffect>& launches, const GateRules& rules);

/// The estimate of the effect: the trimmed mean of the launches. Needs at least one launch.
double estimate(const std::vector<double>& effects);
/// The standard deviation of a launch as it affects an estimate: the estimate's standard error times the
/// square root of the number of launches. Needs at least two launches.
double deviation(const std::vector<double>& effects);

/// The ratio and its 95 % interval from all launches of both stages; empty for fewer than two.
std::optional<Ratio> ratio_of(const Effects& effects);

}  // namespace breakeven
