// Finds the value of a parameter from which one machine is faster than another, from results that were
// measured separately. Pure functions.
//
// Unlike a threshold measured by session/threshold.h, the two sides did not alternate on one machine within
// one hour, so the ratio includes every difference between machines and days. An interval is that of two
// medians, each from one run, and of runs that differ by run_deviation. Only the values that both runs have
// are known; the crossing is interpolated between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/price.h"
#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/break_even.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// Thrown for results in which no break-even can be determined. The message gives the reason and the remedy.
class NotComparable : public std::runtime_error {
 public:
  /// `status`: the command's exit status. 2 if the request is invalid, 4 if the results do not allow an
  /// answer.
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

/// Determines the break-even from ratios in rising order of value. One side is ahead if its interval excludes
/// 1 or, without an interval, if the ratio is plainly not 1. Between the nearest values with different sides
/// ahead, the logarithm of the ratio is interpolated linearly over the logarithm of the value: its zero is
/// the crossing. The interval of the crossing allows for the errors of the ratios, and for a curve that
/// bends. A change from one side to neither, or back, is only known to lie between two values; so is any
/// change where there are but two.
BreakEven break_even_of(std::span<const RatioAt> ratios);

/// Compares the baseline's results with the challenger's. For each family of cases in which `parameter`
/// changes, and each dtype that both have, finds the value from which the challenger is ahead. At each value,
/// the fastest backend of a side that computed a right result is used. Sets everything but `tool_version`.
/// Throws NotComparable.
Threshold threshold_from_results(std::span<const Result, 2> results, const std::string& parameter);

/// Adds all answers, which are in time, again in money. A side costs its price in every case, whichever
/// of its devices is faster: a machine is rented whole.
void add_costs(Threshold& found, const std::array<HourlyPrice, 2>& prices);

/// Compares every two machines, or devices of one machine, in the same way, for every parameter with enough
/// values on both. Processors are the baseline of GPUs. Empty if there is nothing to compare.
std::vector<Threshold> break_evens_between(std::span<const Result> results);

}  // namespace breakeven
