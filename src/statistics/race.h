// Finds the fastest of several variants of a computation from times that were taken in turn. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace breakeven {

/// The times of one variant. In each round all variants are timed, one after another.
struct RacedTimes {
  /// In seconds. All have the same number, but a variant that failed or fell behind has none.
  std::vector<double> rounds = {};
  bool far_behind = false;  // so slow at first that it was not timed further
};

/// Returns the index of the variant to take. Index 0 is the usual one. It is kept unless others are faster:
/// the 95 % confidence interval of their median speedup over the rounds is above 1, and the median
/// above 1.02. Then the fastest of them is taken, or the first if the race does not distinguish them.
std::size_t fastest_of(std::span<const RacedTimes> raced);

/// The same of times that were taken of one variant after the other, a few at once, so that the rounds pair
/// nothing: Welch's interval of the ratio of geometric means must be above 1, and the ratio of medians above
/// 1.02. All intervals together have a confidence of 95 %. The least median of these is taken.
std::size_t fastest_one_by_one(std::span<const RacedTimes> raced);

/// True if the median of this variant's times is shorter than the usual one's by enough to leave it. Few
/// times prove nothing.
bool is_promising(const RacedTimes& one, const RacedTimes& usual);

/// True if another variant seems to be faster than the usual one by enough, but not clearly: more rounds may
/// decide.
bool is_undecided(std::span<const RacedTimes> raced);

}  // namespace breakeven
