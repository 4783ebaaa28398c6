#include "statistics/race.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "statistics/significance.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

constexpr double worth_leaving_the_usual = 1.02;

/// The speedup in every round; empty if either of them was not timed in all rounds.
std::vector<double> speedups(const RacedTimes& one, const RacedTimes& over) {
  if (one.rounds.size() != over.rounds.size()) return {};
  std::vector<double> ratios;
  std::ranges::transform(over.rounds, one.rounds, std::back_inserter(ratios), std::divides<>());
  return ratios;
}

/// True if one is clearly faster than `than`, and by more than `margin` in the median. The interval need not
/// lie above the margin: beside a neighbour it seldom does, and a variant that is a little less ahead is no
/// loss.
bool is_faster(const RacedTimes& one, const RacedTimes& than, double margin) {
  if (one.rounds.empty()) return false;
  if (than.far_behind) return true;
  const std::vector<double> ratios = speedups(one, than);
  const std::optional<Interval> speedup = median_interval(ratios);
  return speedup && speedup->low > 1 && median(ratios) > margin;
}

}  // namespace

std::size_t fastest_of(std::span<const RacedTimes> raced) {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < raced.size(); ++i) {
    if (is_faster(raced[i], raced.front(), worth_leaving_the_usual) &&
        (fastest == 0 || is_faster(raced[i], raced[fastest], 1)))
      fastest = i;
  }
  return fastest;
}

bool is_promising(const RacedTimes& one, const RacedTimes& usual) {
  return !one.rounds.empty() && median(one.rounds) * worth_leaving_the_usual < median(usual.rounds);
}

std::size_t fastest_one_by_one(std::span<const RacedTimes> raced) {
  if (raced.size() < 2) return 0;
  const double confidence = 1 - 0.05 / static_cast<double>(raced.size() - 1);
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < raced.size(); ++i) {
    const auto speedup = log_ratio(raced[0].rounds, raced[i].rounds);
    const bool is_clear =
        is_promising(raced[i], raced[0]) && speedup && ratio_interval(*speedup, confidence).low > 1;
    if (raced[i].rounds.empty() || (!is_clear && !raced[0].far_behind)) continue;
    if (fastest == 0 || median(raced[i].rounds) < median(raced[fastest].rounds)) fastest = i;
  }
  return fastest;
}

bool is_undecided(std::span<const RacedTimes> raced) {
  return std::ranges::any_of(raced, [&](const RacedTimes& one) {
    const std::vector<double> over_usual = speedups(one, raced.front());
    return !over_usual.empty() && median(over_usual) > worth_leaving_the_usual &&
           !is_faster(one, raced.front(), worth_leaving_the_usual);
  });
}

}  // namespace breakeven
