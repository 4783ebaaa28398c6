// What `threshold` measured, as charts.
#pragma once

#include "reports/charts/chart.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// By how much the challenger is ahead over the parameter, in what the answer is in, with the 95 % interval
/// of its launches, and where the lead changes. Without points where nothing was measured on both sides.
Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer);

/// "matmul, m = n = k, f32: in energy"; printable.
std::string question_of(const ThresholdAnswer& answer);

}  // namespace breakeven
