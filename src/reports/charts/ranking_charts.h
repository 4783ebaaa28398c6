// The charts of a ranking.
#pragma once

#include <vector>

#include "rank/rank.h"
#include "reports/charts/chart.h"

namespace breakeven {

/// The charts of a ranking. Labels are printable. Charts without data are left out.
/// - `ranking-time`, `-energy`, `-cost`: for all of the work, by candidate, as bars
/// - `ranking-cases`: how many times the fastest's time each case takes
/// - `ranking-front`: time against cost, or else against energy, if two candidates have both
std::vector<Chart> rank_charts(const Ranking& ranking);

}  // namespace breakeven
