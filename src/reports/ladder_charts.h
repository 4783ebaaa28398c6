// What narrower types and each step of optimisation buy, as charts.
#pragma once

#include <set>
#include <vector>

#include "reports/charts.h"
#include "reports/families.h"

namespace breakeven {

/// Of each operation and device, how many times as fast as f32 the other dtypes are; empty where nothing was
/// measured in both.
Chart narrower_types_chart(const std::vector<Timed>& all);

/// Of cases that differ in what can be turned on or off (`tuned`, `fused`, `graph`), and in dtype and batch
/// with it: the rate of each step, in the order of the results. Adds what is shown to `shown`.
std::vector<Chart> ladder_charts(const std::vector<Timed>& all, std::set<const CaseResult*>& shown);

}  // namespace breakeven
