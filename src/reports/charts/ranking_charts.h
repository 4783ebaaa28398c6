// A ranking as charts.
#pragma once

#include <vector>

#include "rank/rank.h"
#include "reports/charts/chart.h"

namespace breakeven {

/// - `ranking-time`, `-energy`, `-cost`: of all of the work, by candidate, as bars
/// - `ranking-cases`: how many times the fastest's time each case takes
/// - `ranking-front`: time against cost, or else against energy, where two candidates have both
/// Labels are printable; charts of what nobody has are left out.
std::vector<Chart> rank_charts(const Ranking& ranking);

}  // namespace breakeven
