#include "verdicts/sequential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "statistics/significance.h"
#include "statistics/summary.h"
#include "verdicts/decision.h"

namespace breakeven {
namespace {

/// The fraction of launches that an estimate leaves out at either end. With more, intervals of few launches
/// are too short; with less, one outlier in ten launches makes them too long.
constexpr double trimmed = 0.15;
/// The largest weight of a launch in the test, as a multiple of the median magnitude.
constexpr double most_weight = 1.5;

const Look* look_after(const std::vector<Look>& looks, std::size_t launches) {
  const auto found = std::ranges::find(looks, static_cast<int>(launches), &Look::launches);
  return found == looks.end() ? nullptr : &*found;
}

/// True if the interval excludes a change by the threshold in both directions.
bool excludes_change(const std::vector<LaunchEffect>& effects, double error, double limit) {
  const Interval interval = trimmed_mean_interval(effects, trimmed, error);
  return -limit < interval.low && interval.high < limit;
}

/// The least by which each launch shows the head slower, or faster.
std::vector<double> least_changes(const std::vector<LaunchEffect>& effects, bool slower) {
  std::vector<double> changes = bounds_of(effects, slower ? &LaunchEffect::lower : &LaunchEffect::upper);
  if (!slower) std::ranges::transform(changes, changes.begin(), std::negate());
  return changes;
}

/// True if the launches look slower, both by Student's t and by the test of signs. The test of signs alone
/// would suspect four launches of one sign, which noise produces in every eighth case. With Student's t
/// alone, the bound on suspicions would hold for some kinds of noise only.
bool is_suspect(const std::vector<double>& changes, const Look& look, const GateRules& rules, double limit) {
  constexpr double by_student = 0.025;
  return estimate(changes) >= limit &&
         trimmed_mean_interval(changes, trimmed, by_student * look.share).low > 0 &&
         sign_flip_p_value(limited(changes, most_weight)) <= rules.suspicion / 2 * look.suspicion;
}

std::vector<LaunchEffect> all_of(const Effects& effects) {
  std::vector<LaunchEffect> all = effects.first;
  all.insert(all.end(), effects.confirming.begin(), effects.confirming.end());
  return all;
}

Decision decide_with_share(const std::vector<LaunchEffect>& launches, GateRules rules, double share) {
  rules.false_alarm *= share;
  Decision decided;
  for (const LaunchEffect& launch : launches) {
    decided.step = add_launch(decided.effects, launch, rules);
    if (decided.step.next == Step::Next::stop) break;
  }
  return decided;
}

}  // namespace

bool has_bounds(const Effects& effects) {
  return !std::ranges::all_of(all_of(effects), &LaunchEffect::is_known);
}

double confirming_error(const GateRules& rules) {
  // If both sides are the same, the signs of the launches in the two stages are independent.
  return rules.false_alarm / static_cast<double>(rules.cases) / rules.suspicion;
}

std::vector<Look> first_looks() {
  // Most of the error is for the last look: a case that is quiet enough for an early look needs little of it,
  // and any other would be inconclusive. The first two looks need most of the suspicion, because few launches
  // have few signs.
  return {{4, 0.2, 0.63},    {6, 0.1, 0.16},    {9, 0.1, 0.0525},
          {13, 0.1, 0.0525}, {19, 0.1, 0.0525}, {28, 0.4, 0.0525}};
}

std::vector<Look> confirming_looks(const GateRules& rules) {
  constexpr double share = 0.6;
  const double error = share * confirming_error(rules);
  const int fewest = std::clamp(static_cast<int>(std::ceil(-std::log2(error))), 5, 28);
  return {{fewest, share}, {fewest + 3, 0.2}, {fewest + 8, 0.1}, {fewest + 16, 0.1}};
}

Step next_step(const Effects& effects, const GateRules& rules) {
  const double limit = std::log1p(rules.threshold);
  // A changed case that is called the same is usually called so in the first stage.
  const double missed = (effects.suspected_slower ? 0.2 : 0.8) * rules.missed;
  const auto stop = [](Verdict verdict) { return Step{.next = Step::Next::stop, .verdict = verdict}; };
  if (!effects.suspected_slower) {
    const auto looks = first_looks();
    const Look* look = look_after(looks, effects.first.size());
    if (look == nullptr) return {};
    if (excludes_change(effects.first, missed * look->share, limit)) return stop(Verdict::same);
    for (const bool slower : {true, false}) {
      if (is_suspect(least_changes(effects.first, slower), *look, rules, limit))
        return {.next = Step::Next::confirm, .slower = slower};
    }
    return look == &looks.back() ? stop(end_undecided(effects, rules).verdict) : Step{};
  }
  const auto looks = confirming_looks(rules);
  const Look* look = look_after(looks, effects.confirming.size());
  if (look == nullptr) return {};
  const std::vector<double> changes = least_changes(effects.confirming, *effects.suspected_slower);
  const double error = confirming_error(rules);
  if (estimate(changes) >= limit && sign_flip_p_value(limited(changes, most_weight)) <= error * look->share)
    return stop(*effects.suspected_slower ? Verdict::slower : Verdict::faster);
  if (excludes_change(effects.confirming, missed * look->share, limit)) return stop(Verdict::same);
  return look == &looks.back() ? stop(end_undecided(effects, rules).verdict) : Step{};
}

Ending end_undecided(const Effects& effects, const GateRules& rules) {
  const auto fewest = static_cast<std::size_t>(first_looks().front().launches);
  if (effects.first.size() < fewest) return {};
  const auto ratio = ratio_of(effects);
  if (!ratio || !not_slower(*ratio, rules.threshold)) return {};
  return {.verdict = is_same(*ratio, rules.threshold) ? Verdict::same : Verdict::inconclusive,
          .not_slower = true};
}

Step add_launch(Effects& effects, const LaunchEffect& effect, const GateRules& rules) {
  (effects.suspected_slower ? effects.confirming : effects.first).push_back(effect);
  const Step step = next_step(effects, rules);
  if (step.next == Step::Next::confirm) effects.suspected_slower = step.slower;
  return step;
}

Decision decide_from(const std::vector<LaunchEffect>& launches, const GateRules& rules) {
  constexpr double share_of_known = 0.9;
  std::vector<LaunchEffect> known;
  std::ranges::copy_if(launches, std::back_inserter(known), &LaunchEffect::is_known);
  Decision of_known = decide_with_share(known, rules, share_of_known);
  const bool has_ended = of_known.step.next == Step::Next::stop;
  if (known.size() == launches.size() || (has_ended && of_known.step.verdict != Verdict::inconclusive))
    return of_known;
  // Fast launches have close bounds, and slow ones are many. How fast the machine was does not depend on the
  // effect, so that the launches above each of these speeds are an experiment of their own.
  constexpr std::array least_speeds{0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.0};  // the last has all launches
  Decision of_all;
  for (const double least_speed : least_speeds) {
    std::vector<LaunchEffect> fast;
    std::ranges::copy_if(launches, std::back_inserter(fast), [&](const LaunchEffect& launch) {
      return launch.upper - launch.middle() <= neighbour_bound(least_speed);
    });
    of_all = decide_with_share(fast, rules, (1 - share_of_known) / least_speeds.size());
    if (of_all.step.verdict == Verdict::slower || of_all.step.verdict == Verdict::faster) return of_all;
  }
  const auto fewest = static_cast<std::size_t>(first_looks().front().launches);
  if (has_ended || known.size() >= fewest) return of_known;
  // Further launches may be undisturbed.
  if (of_all.step.next == Step::Next::stop) of_all.step = {};
  return of_all;
}

double estimate(const std::vector<double>& effects) {
  return trimmed_mean(effects, trimmed);
}

double deviation(const std::vector<double>& effects) {
  return trimmed_standard_error(effects, trimmed) * std::sqrt(static_cast<double>(effects.size()));
}

std::optional<Ratio> ratio_of(const Effects& effects) {
  const std::vector<LaunchEffect> all = all_of(effects);
  if (all.size() < 2) return std::nullopt;
  const Interval interval = trimmed_mean_interval(all, trimmed, 0.025);
  return Ratio{.value = std::exp(estimate(middles_of(all))),
               .low = std::exp(interval.low),
               .high = std::exp(interval.high)};
}

}  // namespace breakeven
