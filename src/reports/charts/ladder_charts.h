// What lower precision and each step of optimisation buy, as charts.
#pragma once

#include <set>
#include <vector>

#include "reports/charts/chart.h"
#include "reports/document/families.h"

namespace breakeven {

/// How many times as fast as f32 the other dtypes are, by operation and device; empty where no problem was
/// measured in both.
Chart lower_precision_chart(const std::vector<Timed>& all);

/// Cases that differ in what can be turned on or off (`tuned`, `fused`, `graph`), and in dtype and batch with
/// it: the rate of each step, in the order of the results. Adds what is shown to `shown`.
std::vector<Chart> ladder_charts(const std::vector<Timed>& all, std::set<const CaseResult*>& shown);

}  // namespace breakeven
