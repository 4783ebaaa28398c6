// The charts of a ranking.
#pragma once

#include <string>
#include <vector>

#include "rank/rank.h"
#include "reports/charts/chart.h"

namespace breakeven {

/// Names the work that an amount buys: "runs of the mix", or "cases" of the common ones.
std::string work_in_short(const Ranking& ranking);

/// The charts of a ranking. Labels are printable. Charts without data are left out.
/// - `ranking-time`, `-energy`, `-cost`: by candidate, as bars, the metric of the ranking first. Time and
/// energy
///   are those of all of the work; of costs, what one unit of the currency buys
/// - `ranking-cases`: how many times the fastest's time each case takes
/// - `ranking-front`: time against cost, or else against energy, if two candidates have both
/// `of` is part of their names where there are several rankings: `ranking-matmul-time`.
std::vector<Chart> rank_charts(const Ranking& ranking, const std::string& of = "");

/// The charts of all rankings.
std::vector<Chart> rank_charts(const Rankings& rankings);

}  // namespace breakeven
