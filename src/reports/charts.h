// What there is to see in results, as charts that any library can draw: each is data, made here once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/chart.h"
#include "results/result.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// Of results with a time:
/// - `OP-PARAMETER`: the rate over a parameter that takes three values or more, all else being equal; and
///   `OP-PARAMETER-speedup`, how many times as fast as the fastest CPU backend each other device is, with its
///   interval
/// - `OP-PARAMETER-latency`: the median latency, up to the 99th percentile
/// - `OP`: the rate of what is in none of those, as bars
/// - `narrower-types`: how many times as fast as f32 each other dtype is, by operation
/// - `OP-...-steps-of-optimisation`: the rate of training or inference as more is turned on
/// - `roofline-N`: for each device whose ceilings were measured
/// - `OP-...-loss-steps`, `OP-...-loss-seconds`: of training
/// Of thresholds: `threshold-...`, for each question.
/// Numbers are finite; labels are printable; names are unique.
std::vector<Chart> charts(std::span<const Result> results, std::span<const Threshold> thresholds = {});

/// Logarithmic where the values go through more than an order of magnitude.
void choose_scales(Chart& chart);

/// A chart's name: letters and digits, everything else a dash.
std::string chart_slug(std::string_view text);

}  // namespace breakeven
