// The charts of results.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "reports/charts/chart.h"
#include "reports/document/families.h"
#include "results/result.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// The charts of results and thresholds. Numbers are finite, labels are printable and names are unique.
///
/// For each machine, from results with a time (with several machines, names begin with `MACHINE-`):
/// - `OP-PARAMETER`: the rate over a parameter that has at least three values, with all others equal; one
///   chart for each dtype if all do not fit into one picture
/// - `OP-PARAMETER-speedup`: how many times as fast as the fastest CPU backend each other device is, with its
///   interval
/// - `OP-PARAMETER-latency`: the median latency, up to the 99th percentile
/// - `OP`: the rate of results that are in none of those, as bars
/// - `lower-precision`: how many times as fast as f32 each other dtype is, by operation
/// - `frameworks`: the time of frameworks over that of the fastest library, on average
/// - `operands`: the time with operands read from memory over that with the same operands in each run
/// - `OP-...-steps-of-optimisation`: the rate of training or inference as more options are turned on
/// - `roofline-N`: for each device whose ceilings were measured
/// - `OP-...-loss-steps`, `OP-...-loss-seconds`: the loss of training, up to the last step that all have
///
/// Across machines: `machines-OP-PARAMETER`, the best backend of each. For thresholds: `threshold-...`, for
/// each question.
std::vector<Chart> charts(std::span<const Result> results, std::span<const Threshold> thresholds = {});

/// The charts of one machine; their names do not contain its name. `runs` points to the results.
std::vector<Chart> machine_charts(const Measurements& measured);

/// The best backend of each machine over each parameter that has at least three values. The names of the
/// machines are unique.
std::vector<Chart> across_machines_charts(const Measurements& measured);

/// The ratio by which the challenger is ahead over the parameter, in the metric of the answer, with the 95 %
/// interval over the launches, and where the lead changes: with its interval, or the measured values between
/// which it is interpolated. Has no points if no value was measured on both sides.
Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer);

/// "Matrix products, m = n = k, f32, by cost"; printable.
std::string question_of(const ThresholdAnswer& answer);

}  // namespace breakeven
