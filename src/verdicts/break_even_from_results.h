// Finds the value of a parameter from which one machine is faster than another, from results that were
// measured separately. Pure functions.
//
// Differences from a threshold that was measured (session/threshold.h): the two sides did not run in turn on
// one machine in one hour, so the ratio includes every difference between machines and days. An interval is
// that of two medians, each from one run. Only the values that both runs have are known; the crossing is
// interpolated between them.
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

/// Thrown for results that have no break-even to look for. The message says why, and what to do instead.
class NotComparable : public std::runtime_error {
 public:
  /// `status` is the exit status of the command: 2 for an invalid request, 4 if the results do not allow it.
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

/// Takes ratios by rising value. One side is ahead if 1 is not in the interval or, without an interval, if
/// the ratio is plainly not 1. Between the nearest values with different sides ahead, the logarithm of the
/// ratio and both ends of its interval are straight lines over the logarithm of the value: their zeros are
/// the crossing and its interval. A change between a side and values where neither is ahead is only known to
/// lie between two values.
BreakEven break_even_of(std::span<const RatioAt> ratios);

/// Compares the baseline's results with the challenger's: for each family of cases in which `parameter`
/// changes, and each dtype that both have, finds the value from which the challenger is ahead. At each value,
/// the fastest backend of a side with a right result counts. Sets everything but `tool_version`. Throws
/// NotComparable.
Threshold threshold_from_results(std::span<const Result, 2> results, const std::string& parameter);

/// The same between every two machines, or devices of one machine, for every parameter with enough values on
/// both; processors are the baseline of GPUs. Empty if there are none.
std::vector<Threshold> break_evens_between(std::span<const Result> results);

}  // namespace breakeven
