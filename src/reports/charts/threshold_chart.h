// Charts of a threshold.
#pragma once

#include "reports/charts/chart.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// The ratio by which the challenger is ahead over the parameter, in the metric of the answer, with the 95 %
/// interval over the launches, and where the lead changes. Has no points if no value was measured on both
/// sides.
Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer);

/// "matmul, m = n = k, f32: in energy"; printable.
std::string question_of(const ThresholdAnswer& answer);

}  // namespace breakeven
