// Charts of the speed gained by lower precision and by each step of optimisation.
#pragma once

#include <set>
#include <vector>

#include "reports/charts/chart.h"
#include "reports/document/families.h"

namespace breakeven {

/// The speed of the other dtypes relative to f32, by operation and device; empty if no problem was measured
/// in both.
Chart lower_precision_chart(const std::vector<Timed>& all);

/// The rate of each step of optimisation, in the order of the results. The steps are cases that differ in
/// options (`tuned`, `fused`, `graph`), and in dtype and batch with them. Adds the cases shown to `shown`.
std::vector<Chart> ladder_charts(const std::vector<Timed>& all, std::set<const CaseResult*>& shown);

}  // namespace breakeven
