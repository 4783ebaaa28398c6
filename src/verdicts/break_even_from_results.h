// From which value of a parameter on one machine is faster than another, from results that each measured by
// itself. Pure functions.
//
// How it differs from a threshold that was measured (session/threshold.h): the two sides did not run in turn
// on one machine in one hour, so that whatever differs between machines and days is in the ratio; an interval
// is that of two medians, each of one run; and only the values that both runs have are known, between which
// the crossing is interpolated.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/break_even.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// Results between which there is no break-even to look for. The message says why, and what to do instead.
class NotComparable : public std::runtime_error {
 public:
  /// `status` is that of the command: 2 where it was asked wrongly, 4 where the results do not allow it.
  NotComparable(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// The challenger's seconds over the baseline's at one value.
struct RatioAt {
  std::int64_t value = 0;
  Estimate ratio;
};

/// By value, rising. One side is ahead where 1 is not in the interval, or without one where the ratio is
/// plainly not 1. Between the nearest values with different sides ahead, the logarithm of the ratio and both
/// ends of its interval are straight lines over the logarithm of the value: their zeros are the crossing and
/// its interval. What lies between a side and values where neither is ahead is known to lie between two
/// values, no more.
BreakEven break_even_of(std::span<const RatioAt> ratios);

/// Of the baseline's results and the challenger's: for each family of cases in which `parameter` moves, and
/// each dtype that both have, the value from which the challenger is ahead. At each value the fastest backend
/// of a side counts whose result is right. All but `tool_version`. Throws NotComparable.
Threshold threshold_from_results(std::span<const Result, 2> results, const std::string& parameter);

/// The same between each two machines, or devices of one, for every parameter of which both have enough
/// values; processors are the baseline of GPUs. None where there are none.
std::vector<Threshold> break_evens_between(std::span<const Result> results);

}  // namespace breakeven
